import { describeDatabaseRole } from './database-role.cases.js';
import { describeKeyedDigests } from './keyed-digests.cases.js';
import { describeMigrations } from './migrations.cases.js';

describeDatabaseRole();
describeMigrations();
describeKeyedDigests();
