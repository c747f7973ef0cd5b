import { readFileSync } from 'node:fs';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { migrate } from '../../src/cli/migrate.ts';
import { createNodes, databaseOn } from '../citus.ts';
import { withClient } from '../cluster.ts';
import { callStation } from '../in-process.ts';
import { needs } from '../needs.ts';
import { run } from '../program.ts';

const NAME = 'audio_of_compose';
const PASSWORD = `p@ss/w:rd#?%25 'x" \\ é`;

/** The script that creates the roles, in the form that its container gets. */
function rolesScript(): string {
  const compose = readFileSync(new URL('../../deploy/citus/compose.yml', import.meta.url), 'utf8');
  const [, text = ''] = /^ {2}roles:\n {4}content: \|\n((?: {6}.*\n)+)/m.exec(compose) ?? [];
  return text.replaceAll(/^ {6}/gm, '').replaceAll('$$', '$');
}

const citus = inject('citus');

describe('deploy/citus/compose.yml', needs('Citus', citus), () => {
  const nodes = [citus?.url ?? '', ...(citus?.workers ?? [])];

  it('creates roles on every node, of which the owner adds stations', async () => {
    await createNodes(nodes, NAME);
    onTestFinished(async () => {
      for (const url of nodes)
        await withClient(url, (client) => client.query(`drop database ${NAME} with (force)`));
    });
    for (const url of nodes) {
      const { hostname: PGHOST, port: PGPORT } = new URL(url);
      const passwords = {
        POSTGRES_PASSWORD: 'postgres',
        OWNER_PASSWORD: PASSWORD,
        READER_PASSWORD: 'reader',
      };
      const { PATH = '' } = process.env;
      const env = {
        PATH: `${inject('postgresBin')}:${PATH}`,
        PGHOST,
        PGPORT,
        POSTGRES_USER: 'postgres',
        POSTGRES_DB: NAME,
      };
      expect(await run(['sh', '-ec', rolesScript()], { env: { ...env, ...passwords } })).toMatchObject({
        status: 0,
      });
      const authinfo = `select authinfo from pg_dist_authinfo where rolename = 'audio_owner'`;
      const { rows } = await withClient(databaseOn(url, NAME), (client) => client.query(authinfo));
      expect(rows).toEqual([{ authinfo: `password='${PASSWORD.replaceAll(/[\\']/g, '\\$&')}'` }]);
    }
    const owner = Object.assign(new URL(databaseOn(nodes[0] ?? '', NAME)), { username: 'audio_owner' }).href;
    await migrate({ url: owner });
    await callStation(['add', 'market'], { DATABASE_URL: owner });
    await withClient(owner, (client) =>
      client.query(`insert into market.audio_data values ('2026-11-20Z', -20)`),
    );
    const onWorkers = `select count(*)::int as count from pg_dist_placement join pg_dist_node using (groupid)
      where groupid > 0 and shardid in (select get_shard_id_for_distribution_column('market.audio_data'))`;
    const { rows } = await withClient(owner, (client) => client.query(onWorkers));
    expect(rows).toEqual([{ count: 1 }]);
  });
});
