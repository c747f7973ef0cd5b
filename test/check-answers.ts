// Turns an answer of a procedure that violates its schema into an error.
import { checkAnswers } from '../src/api/meta.ts';

checkAnswers();
