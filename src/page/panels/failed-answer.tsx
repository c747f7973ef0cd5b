// Replaces the content of a panel if its request failed and the page does not retry by itself.
import { isServiceError } from '../../client/service-error.ts';
import { faultOf, tookTooLong } from '../state/answer-faults.ts';
import { texts } from '../texts/texts.ts';
import { usePassFocusOn } from './pass-focus-on.ts';

interface FailedAnswerProps {
  readonly error: unknown;
  readonly isFetching: boolean;
  readonly onRetry: () => void;
}

export function FailedAnswer({ error, isFetching, onRetry }: FailedAnswerProps) {
  const passFocusOn = usePassFocusOn();
  const sentence = texts.faults[faultOf(error)];
  if (!tookTooLong(error)) return <p role="alert">{isServiceError(error) ? error.message : sentence}</p>;
  return (
    <p role="alert">
      {sentence}{' '}
      <button
        type="button"
        ref={passFocusOn}
        aria-disabled={isFetching} // `disabled` would lose the focus
        onClick={() => isFetching || onRetry()}
      >
        {texts.notices.retry}
      </button>
    </p>
  );
}
