// What a panel shows in place of an answer that does not come by itself.
import { isServiceError } from '../../client/service-error.ts';
import { sentenceOf, tookTooLong } from '../state/answer-faults.ts';
import { passFocusOn } from './pass-focus-on.ts';

interface FailedAnswerProps {
  readonly error: unknown;
  readonly isFetching: boolean;
  readonly onAskAgain: () => void;
}

export function FailedAnswer({ error, isFetching, onAskAgain }: FailedAnswerProps) {
  if (!tookTooLong(error))
    return <p role="alert">{isServiceError(error) ? error.message : sentenceOf(error)}</p>;
  return (
    <p role="alert">
      {sentenceOf(error)}{' '}
      <button
        type="button"
        ref={passFocusOn}
        aria-disabled={isFetching} // disabled it would lose the focus
        onClick={() => isFetching || onAskAgain()}
      >
        Ask again
      </button>
    </p>
  );
}
