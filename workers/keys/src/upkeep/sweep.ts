import { reaching } from '@svc/protocol/base/dependency-fault'

/** Rows that one statement deletes: well within the 30 seconds that D1 allows. */
export const SWEPT_AT_ONCE = 5_000
/** Statements of one sweep: a hundred thousand rows. The next hour goes on. */
const MAX_ROUNDS = 20

/** Repeats a statement that deletes at most `SWEPT_AT_ONCE` rows until it finds fewer. */
export async function sweepRows(statement: D1PreparedStatement): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const { meta } = await reaching('sweep', () => statement.run())
    if (meta.changes < SWEPT_AT_ONCE) return
  }
}
