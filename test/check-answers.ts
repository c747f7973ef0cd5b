// Makes a procedure fail if its answer violates its schema.
import { checkAnswers } from '../src/api/meta.ts';

checkAnswers();
