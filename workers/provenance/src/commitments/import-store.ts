import { reaching } from '@svc/protocol/base/dependency-fault'
import type { HistoricalCommitment, Imported } from '@svc/protocol/operator/imports'

const IMPORT = `INSERT INTO commitments (id, did, commitment_hash, algorithm, profile, record, created_at)
  SELECT e.value ->> 'id', e.value ->> 'did', e.value ->> 'commitmentHash', e.value ->> 'algorithm', 'historical',
    e.value ->> 'record', e.value ->> 'createdAt'
  FROM json_each(?1) e WHERE true ON CONFLICT (id) DO NOTHING RETURNING id`
const OTHERS = `SELECT c.id FROM json_each(?1) e JOIN commitments c ON c.id = e.value ->> 'id'
  WHERE NOT (c.profile = 'historical' AND c.did IS e.value ->> 'did' AND c.commitment_hash = e.value ->> 'commitmentHash'
    AND c.algorithm = e.value ->> 'algorithm' AND c.record IS e.value ->> 'record' AND c.created_at = e.value ->> 'createdAt')
  ORDER BY c.id`

/** Adds historical commitments in one transaction, and changes none that is there: idempotent. */
export async function importCommitments(
  db: D1Database,
  commitments: readonly HistoricalCommitment[],
): Promise<Imported> {
  const list = JSON.stringify(commitments)
  const [added, others] = await reaching('commitments', () =>
    db.batch<{ id: string }>([db.prepare(IMPORT).bind(list), db.prepare(OTHERS).bind(list)]),
  )
  const imported = added?.results.length ?? 0
  const refused = (others?.results ?? []).map(({ id }) => id)
  return { imported, known: commitments.length - imported - refused.length, refused }
}
