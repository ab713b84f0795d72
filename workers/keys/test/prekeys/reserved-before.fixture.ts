import { runInDurableObject } from 'cloudflare:test'
import type { TestCaller } from '@svc/testing'
import { accountOf } from '../transparency/log.fixture.ts'

const ACCOUNT_LIMIT = 2_000

/** As many reservations by others as an account gives in a day. */
export function reservedBefore(owner: TestCaller, standing: string): Promise<unknown> {
  return runInDurableObject(accountOf(owner), (_, { storage: { sql } }) =>
    sql.exec(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?3)
       INSERT INTO reservations (reservation_id, requester, idem_key, body_hash, device_id, profile, suite_id, kind,
         prekey_id, leaf_id, reserved_at, expires_at, standing)
       SELECT ?1 || i, ?1 || i, 'k', '', 'd', 'open-v4', 's', 'last-resort', 'p', 'l', ?2, ?2, ?1 FROM n`,
      standing,
      Date.now(),
      ACCOUNT_LIMIT,
    ),
  )
}
