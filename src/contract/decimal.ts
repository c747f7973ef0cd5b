// Adds decimals exactly, as PostgreSQL adds numerics.

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i;

/** @param text a decimal, maybe with an exponent. @returns its digits as a whole number, and its number of decimals */
function partsOf(text: string): { digits: bigint; scale: number } {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = DECIMAL.exec(text) ?? [];
  if (whole === '') throw new TypeError(`${text} is not a decimal`);
  const scale = fraction.length - Number(exponent);
  const digits = BigInt(`${sign}${whole}${fraction}`);
  return scale < 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } : { digits, scale };
}

/** @returns the exact sum, without trailing zeros in its fraction */
export function addDecimals(a: string, b: string): string {
  const [one, other] = [partsOf(a), partsOf(b)];
  const scale = Math.max(one.scale, other.scale);
  const raised = ({ digits, scale: own }: typeof one) => digits * 10n ** BigInt(scale - own);
  const sum = raised(one) + raised(other);
  const text = String(sum < 0n ? -sum : sum).padStart(scale + 1, '0');
  const whole = text.slice(0, text.length - scale);
  const fraction = text.slice(text.length - scale).replace(/0+$/, '');
  return `${sum < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}
