// Makes a procedure fail if its answer violates its schema.
import { checkAnswers } from '../src/operations/trpc.ts';

checkAnswers();
