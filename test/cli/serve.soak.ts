// The service creates its database in an empty folder.
import { expect, it } from 'vitest';
import { start, temporaryFolder } from '../process.ts';

it('The service starts in an empty folder, and again on the database that it created there', async () => {
  const DATA_DIR = temporaryFolder();
  for (let times = 0; times < 2; times++) {
    const service = start(['serve'], { DATA_DIR });
    const { status } = await fetch(`${await service.address()}/api/v1/stats/summary?period=30d`);
    expect(status).toBe(200);
    expect(await service.stop()).toBe(0);
  }
});
