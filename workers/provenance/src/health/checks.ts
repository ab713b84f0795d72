/**
 * The probe of each dependency: a real operation that changes nothing.
 *
 * @module
 */
import { internalHealthSchema } from '@svc/protocol/internal/core'
import { type InternalClient, objectsIn } from '@svc/service'
import type { Check } from './service.ts'

type Bindings = Pick<Env, 'DB' | 'BLOBS' | 'OPEN_NONCES' | 'COUNTERS' | 'CAPSULE_BUCKETS'>

export function checksOf(
  env: Bindings,
  others: {
    readonly core: InternalClient
    readonly pay: InternalClient
    readonly vectors: { isThere(): Promise<boolean> }
  },
): Readonly<Record<string, Check>> {
  const { DB, BLOBS } = env
  const openNonces = objectsIn(env, env.OPEN_NONCES)
  const buckets = objectsIn(env, env.CAPSULE_BUCKETS)
  const counters = objectsIn(env, env.COUNTERS)
  return {
    core: () => answers(others.core, 'core'),
    pay: () => answers(others.pay, 'pay'),
    database: async () =>
      (await DB.prepare('SELECT count(*) AS n FROM text_assets WHERE asset_id = ?').bind('').first('n')) === 0,
    blobs: async () => (await BLOBS.head('health')) === null,
    openNonces: async () => (await openNonces.getByName('health').spend(new Uint8Array(), 0)) !== null,
    capsules: async () => (await buckets.getByName('capsules-0').find('health', 'health')) === null,
    vectors: () => others.vectors.isThere(),
    counters: async () => {
      await counters.getByName('health').release('health')
      return true
    },
  }
}

async function answers(sibling: InternalClient, service: 'core' | 'pay'): Promise<boolean> {
  const answer = await sibling.call({ method: 'GET', path: '/api/internal/health' }, internalHealthSchema)
  return answer.ok && answer.value.service === service
}
