// The tables for drizzle-kit: in the schema of the connection.
const { pgTable: table, pgView: view } = require('drizzle-orm/pg-core');
const { tablesIn } = require('../src/database/schema.ts');

module.exports = tablesIn({ table, view });
