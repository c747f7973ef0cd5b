// The baseline: two hand-written routes, with nothing but Fastify and pg.
import Fastify from 'fastify';
import pg from 'pg';
import { point } from './sql-by-hand.ts';

const { DATABASE_URL, PORT } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL });
pool.on('error', () => {}); // an idle connection broke; the next query opens another
const app = Fastify();

app.get<{ Querystring: { limit: number } }>(
  '/api/v1/audio/latest',
  {
    schema: {
      querystring: {
        type: 'object',
        properties: { limit: { type: 'integer', minimum: 1, maximum: 10_000, default: 100 } },
      },
    },
  },
  async ({ query: { limit } }) => {
    const { rows } = await pool.query(
      `select ${point} from audio_data order by audio_data.time desc limit $1`,
      [limit],
    );
    return { points: rows }; // without a schema, Fastify calls JSON.stringify
  },
);

app.get<{ Querystring: { from: string; to: string } }>(
  '/api/v1/audio/range',
  {
    schema: {
      querystring: {
        type: 'object',
        required: ['from', 'to'],
        properties: {
          from: { type: 'string', format: 'date-time' },
          to: { type: 'string', format: 'date-time' },
        },
      },
    },
  },
  async ({ query: { from, to } }) => {
    const { rows } = await pool.query(
      `select ${point} from audio_data where time >= $1 and time < $2 order by audio_data.time limit 10000`,
      [from, to],
    );
    return { from, to, points: rows };
  },
);

await app.listen({ port: Number(PORT) });
