// Makes each answer of a procedure that is not as its schema says an error.
import { checkAnswers } from '../src/api/meta.ts';

checkAnswers();
