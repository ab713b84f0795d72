import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { bucketOf } from '@svc/protocol/base/buckets'
import { toHex } from '@svc/protocol/base/hash'
import type { Target } from '../../src/move/mover.ts'
import { Placements } from '../../src/placement/placements.ts'
import { firstStoreOf, PLACEMENT_NAME, type Placement } from '../../src/placement/stores.ts'
import { Stores } from '../../src/store/client.ts'
import type { ConsentStoreObject } from '../../src/store/object.ts'
import type { NewAct } from '../../src/store/records.ts'
import { freshHash } from '../harness.ts'
import { rowsIn } from '../stores.fixture.ts'

export const storeNamed = (name: string) => env.CONSENT_STORES.getByName(name)
export const directory = () => env.CONSENT_PLACEMENT.getByName(PLACEMENT_NAME)
/** As another isolate has it, which knows of no move. */
export const freshStores = () => new Stores(env.CONSENT_STORES, new Placements(env.CONSENT_PLACEMENT))

/** Identifiers of one bucket. */
export function hashesOf(bucket: number, count: number): string[] {
  const found: string[] = []
  while (found.length < count) {
    const hash = freshHash()
    if (bucketOf(hash) === bucket) found.push(hash)
  }
  return found
}

const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes))
export const newDid = () => `did:svc:${toHex(random(16))}`

export function actOn(hash: string, creatorDid: string, action: NewAct['action']): NewAct {
  const search = Math.random() < 0.5 ? 'allow' : 'disallow'
  return {
    hash,
    action,
    creatorDid,
    preferences: action === 'delete' ? null : { search },
    publicKeyB64u: 'A'.repeat(2603),
    signatureB64u: 'A'.repeat(4412),
    actHash: toHex(random(48)),
    signer: { kind: 'root', epoch: 0 },
  }
}

/** Begins a move and takes no step. */
export function begin(bucket: number, to: string): Promise<unknown> {
  const source = storeNamed(firstStoreOf(bucket))
  return runInDurableObject(source, (object: ConsentStoreObject) => object.mover.begin(bucket, to))
}

export const CALLS = ['had', 'receive', 'tally', 'raise', 'openBucket'] as const
export type MoveCall = (typeof CALLS)[number]

/** From now on, this call of the other side fails: before it arrives, or when it has and the answer is lost. */
export function breakMove(bucket: number, name: MoveCall, lost: 'request' | 'answer'): Promise<void> {
  return runInDurableObject(storeNamed(firstStoreOf(bucket)), (object: ConsentStoreObject) => {
    const { target, raise } = object.mover.ports
    const broken = async <T>(made: MoveCall, call: () => Promise<T>): Promise<T> => {
      if (made === name && lost === 'request') throw new Error('the request was lost')
      const answer = await call()
      if (made === name) throw new Error('the answer was lost')
      return answer
    }
    object.mover.ports = {
      raise: (placement: Placement) => broken('raise', () => raise(placement)),
      target: (store: string): Target => {
        const to = target(store)
        return {
          had: (...call) => broken('had', () => to.had(...call)),
          receive: (...call) => broken('receive', () => to.receive(...call)),
          tally: (...call) => broken('tally', () => to.tally(...call)),
          openBucket: (...call) => broken('openBucket', () => to.openBucket(...call)),
        }
      },
    }
  })
}

/** Takes one step of a move at the store that gives the bucket away; false once there is none. */
export function step(store: string, bucket: number): Promise<boolean> {
  return runInDurableObject(storeNamed(store), (object: ConsentStoreObject) => object.mover.step(bucket))
}

/** The state of a bucket at a store; null if the store never had it. */
export async function stateAt(store: string, bucket: number): Promise<string | null> {
  const exists = await runInDurableObject(storeNamed(store), (object: ConsentStoreObject) => object.stored.exists)
  if (!exists) return null
  const [row] = await rowsIn(storeNamed(store), 'SELECT state FROM owned WHERE bucket = ?', bucket)
  return (row?.['state'] as string | undefined) ?? null
}

/** The objects lose what they have in memory, and what waits for an answer gets none. */
export async function kill(...objects: readonly DurableObjectStub[]): Promise<void> {
  await Promise.all(objects.map((object) => settled(runInDurableObject(object, (_, state) => state.abort('killed')))))
}

export async function settled<T>(work: Promise<T>): Promise<T | null> {
  return work.catch(() => null)
}
