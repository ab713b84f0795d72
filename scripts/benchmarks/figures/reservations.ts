import type { Platform } from '@svc/platform'
import type { LoadRequest } from '@svc/platform/callers/send'
import { type Actor, createActors } from '../traffic/actor.ts'
import type { Figure } from './figure.ts'
import { median, sendAll } from './load.ts'

const ACTORS = 10
const ROUNDS = 8
/** Each actor asks this often in a round; a pool has forty prekeys and nine others that draw from it. */
const PER_ACTOR = 3
const CONCURRENCY = 4

/** A reservation of a prekey against an authenticated read of the same service, in alternating rounds. */
export async function measureReservations(platform: Platform): Promise<Figure[]> {
  const actors = await createActors(platform, ACTORS)
  const times = { reserve: [] as number[], read: [] as number[] }
  for (let round = 0; round <= ROUNDS; round++) {
    for (const { pool } of actors) await pool.fill()
    const requests = { read: await requestsOf(actors, poolRead), reserve: await requestsOf(actors, reservation) }
    for (const kind of ['read', 'reserve'] as const) {
      const answers = await sendAll(requests[kind], CONCURRENCY, 200)
      if (round > 0) times[kind].push(...answers.map(({ milliseconds }) => milliseconds)) // The first is warm-up.
    }
  }
  const [reserving, reading] = [median(times.reserve), median(times.read)]
  return [
    {
      name: 'reservation of a prekey / read of a pool, p50',
      ratio: reserving / reading,
      detail: `${reserving.toFixed(2)} ms / ${reading.toFixed(2)} ms at concurrency ${CONCURRENCY}, ${times.read.length} each`,
    },
  ]
}

async function requestsOf(actors: readonly Actor[], make: (actor: Actor) => Promise<LoadRequest>) {
  const requests: LoadRequest[] = []
  for (let i = 0; i < PER_ACTOR; i++) for (const actor of actors) requests.push(await make(actor))
  return requests
}

function poolRead({ sealer, pool }: Actor): Promise<LoadRequest> {
  return sealer.seal('GET', ({ keyDirectory }) => keyDirectory.pool(pool.deviceId))
}

async function reservation({ books }: Actor): Promise<LoadRequest> {
  const planned = await books.prekeys.next()
  if (!planned) throw new Error('nobody has a pool to draw from')
  return planned.request
}
