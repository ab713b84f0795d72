import { sendOperatorAct } from '@svc/operations/operator-act'
import type { Platform } from '@svc/platform'
import type { LoadRequest } from '@svc/platform/callers/send'
import type { Figure } from './figure.ts'
import { measureOverFloor, withFloor } from './floor.ts'

const READ_ROUNDS = 8
const READS = 200
const CONCURRENCY = 8
const HASH = `sha3-384:${'0'.repeat(96)}`

/** A cached read against its floor. Acts and batches in the stores are part of the section `scale`. */
export async function measureConsent(_core: string, _did: string, _pay: string, platform: Platform): Promise<Figure[]> {
  return [await measureRead(platform)]
}

async function measureRead({ urls, secrets }: Platform): Promise<Figure> {
  const records = [
    { contentHash: HASH, preferences: { ai_training: 'disallow', search: 'allow' }, declaredAt: 1_600_000_000_000 },
  ]
  const act = { type: 'svc/operator-import-consent/v1', service: 'consent', members: { records } } as const
  const { status } = await sendOperatorAct({ service: urls.consent, realm: urls.core }, secrets.operatorSeed, act)
  if (status !== 200) throw new Error(`the record was refused with ${status}`)
  const read: LoadRequest = { method: 'GET', url: `${urls.consent}/api/v1/consent/${encodeURIComponent(HASH)}` }
  const requests = async () => Array.from({ length: READS }, () => read)
  const run = { floor: { objectCalls: 0 }, limit: 3.5, concurrency: CONCURRENCY, rounds: READ_ROUNDS, requests }
  return withFloor((floor) => measureOverFloor(floor, { name: 'a record from the cache', ...run }))
}
