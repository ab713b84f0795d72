import { leafIdOf } from '@svc/protocol/keys/account-updates'
import { keysOf, listSigners } from '@svc/protocol/merkle/rolled-log.fixture'
import { accountProofs, type Logged, mappedLog } from './mapped-log.ts'
import { LABEL } from './published.ts'
import { data } from './situation.ts'

/** Client options for this directory. */
export const DIRECTORY = { logListKeys: keysOf(listSigners), mapPatience: { attempts: 2, pauseMs: 1 } }

/** Returns the responses of a directory whose log has these updates of Alice. */
export async function loggedUpdates(updates: readonly Logged[]): Promise<Record<string, unknown>> {
  const { log, list, account } = await mappedLog(updates)
  const hashes = updates.map((logged) => (typeof logged === 'string' ? logged : logged.statementHash))
  const { label, seq, head, checkpoint } = account
  const proofs = hashes.map((hash, i) => [
    `/api/transparency/proof/${leafIdOf(LABEL, hash)}`,
    data({
      leafId: leafIdOf(LABEL, hash),
      seq: i + 1,
      position: { log: log.log, index: i + 1 },
      proof: log.inclusion(i + 1),
      checkpoint,
    }),
  ])
  return {
    '/api/transparency/logs': data({ list, earlier: [] }),
    ...accountProofs('/api/transparency/proof/', account),
    [`/api/transparency/audit/${LABEL}`]: data({ label, seq, head, since: 0, statementHashes: hashes, checkpoint }),
    ...Object.fromEntries(proofs),
  }
}
