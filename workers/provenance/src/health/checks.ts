/**
 * How each dependency is asked whether it is there: by something that it really has to do, and that changes nothing.
 *
 * @module
 */
import { internalHealthSchema } from '@svc/protocol/internal'
import type { InternalClient } from '@svc/service'
import type { Check } from './health-service.ts'

type Bindings = Pick<Env, 'DB' | 'BLOBS' | 'NONCES' | 'OPEN_NONCES' | 'COUNTERS'>

export function checksOf(
  { DB, BLOBS, NONCES, OPEN_NONCES, COUNTERS }: Bindings,
  others: {
    readonly core: InternalClient
    readonly pay: InternalClient
    readonly vectors: { isThere(): Promise<boolean> }
  },
): Readonly<Record<string, Check>> {
  return {
    core: () => answers(others.core, 'core'),
    pay: () => answers(others.pay, 'pay'),
    database: async () =>
      (await DB.prepare('SELECT count(*) AS n FROM capsules WHERE asset_id = ?').bind('').first('n')) === 0,
    blobs: async () => (await BLOBS.head('health')) === null,
    // What has expired already leaves no trace.
    nonces: async () => (await NONCES.getByName('health').spend('health', 'health', 0)) === 'expired',
    openNonces: async () => (await OPEN_NONCES.getByName('health').spend(new Uint8Array(), 0)) !== null,
    vectors: () => others.vectors.isThere(),
    counters: async () => {
      await COUNTERS.getByName('health').release('health')
      return true
    },
  }
}

async function answers(sibling: InternalClient, service: 'core' | 'pay'): Promise<boolean> {
  const answer = await sibling.call({ method: 'GET', path: '/api/internal/health' }, internalHealthSchema)
  return answer.ok && answer.value.service === service
}
