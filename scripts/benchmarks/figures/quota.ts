import type { Identity } from '@svc/client'
import { Person } from '@svc/platform/callers/person'
import type { LoadRequest } from '@svc/platform/callers/send'
import { metersSchema } from '@svc/protocol/pay/quota'
import { STEPS, withBareSteps } from './bare-steps.ts'
import type { Figure } from './figure.ts'
import { median, sendAll } from './load.ts'

const IDENTITIES = 100
const RATE_ROUNDS = 5
const CONSUMPTIONS_IN_ROUND = 400
const CONCURRENCY = 32
const ROUNDS = 8
const PER_ROUND = 100

/** Concurrent consumptions by many identities against their bare steps, and one consumption against a read of its meter. */
export async function measureQuota(core: string, _did: string, pay: string): Promise<Figure[]> {
  const owners: Identity[] = []
  for (let i = 0; i < IDENTITIES; i++) owners.push((await Person.create(core)).identity)
  return [...(await measureRate(pay, owners)), await measureCost(pay, owners)]
}

async function measureRate(pay: string, owners: readonly Identity[]): Promise<Figure[]> {
  await sendAll(await consumptions(pay, owners, 'warm', owners.length), CONCURRENCY, 200)
  const figures = await withBareSteps(async (bare) => {
    await bare(STEPS, CONSUMPTIONS_IN_ROUND, CONCURRENCY)
    const times = { whole: [] as number[], bare: [] as number[] }
    // In turn, so that other load on the machine affects both.
    for (let round = 0; round < RATE_ROUNDS; round++) {
      const requests = await consumptions(pay, owners, `rate-${round}`, CONSUMPTIONS_IN_ROUND)
      const startedAt = performance.now()
      await sendAll(requests, CONCURRENCY, 200)
      times.whole.push((performance.now() - startedAt) / requests.length)
      times.bare.push(await bare(STEPS, CONSUMPTIONS_IN_ROUND, CONCURRENCY))
    }
    const none = await bare([], CONSUMPTIONS_IN_ROUND, CONCURRENCY)
    const each: string[] = []
    for (const step of STEPS)
      each.push(`${step} ${((await bare([step], CONSUMPTIONS_IN_ROUND, CONCURRENCY)) - none).toFixed(2)}`)
    return rateFigures(times, each.join(', '))
  })
  const counted = await usedBy(pay, owners)
  const expected = RATE_ROUNDS * CONSUMPTIONS_IN_ROUND + owners.length
  if (counted !== expected) throw new Error(`${counted} units were counted instead of ${expected}`)
  return figures
}

/** The rate, and the highest possible rate with the runtime's single thread on this machine. */
function rateFigures(times: { readonly whole: number[]; readonly bare: number[] }, each: string): Figure[] {
  const perSecond = { whole: 1_000 / mean(times.whole), bare: 1_000 / mean(times.bare) }
  return [
    {
      name: `consumptions in a second by ${IDENTITIES} identities / 1000`,
      ratio: perSecond.whole / 1_000,
      bar: { limit: 1, good: 'at least' },
      detail: `${perSecond.whole.toFixed(0)} per second at concurrency ${CONCURRENCY}, ${RATE_ROUNDS * CONSUMPTIONS_IN_ROUND} counted`,
    },
    {
      name: 'consumptions in a second / their bare steps',
      ratio: median(times.whole.map((time, i) => (times.bare[i] ?? Number.NaN) / time)),
      detail: `${perSecond.bare.toFixed(0)} per second with nothing around them: ${each} ms`,
    },
  ]
}

const mean = (times: readonly number[]) => times.reduce((sum, time) => sum + time, 0) / times.length

async function measureCost(pay: string, owners: readonly Identity[]): Promise<Figure> {
  const times = { consume: [] as number[], read: [] as number[] }
  for (let round = 0; round <= ROUNDS; round++) {
    const requests = {
      consume: await consumptions(pay, owners, `cost-${round}`, PER_ROUND),
      read: await Promise.all(owners.slice(0, PER_ROUND).map((owner) => read(pay, owner))),
    }
    for (const kind of ['read', 'consume'] as const) {
      const answers = await sendAll(requests[kind], 4, 200)
      if (round > 0) times[kind].push(...answers.map(({ milliseconds }) => milliseconds)) // The first is warm-up.
    }
  }
  const [consume, reading] = [median(times.consume), median(times.read)]
  return {
    name: 'consumption / read of the same meter, p50',
    ratio: consume / reading,
    bar: { limit: 2, good: 'at most' },
    detail: `${consume.toFixed(2)} ms / ${reading.toFixed(2)} ms at concurrency 4, ${times.read.length} each`,
  }
}

async function usedBy(pay: string, owners: readonly Identity[]): Promise<number> {
  const answers = await sendAll(await Promise.all(owners.map((owner) => read(pay, owner))), CONCURRENCY, 200)
  return answers.reduce((sum, { body }) => {
    const { data } = JSON.parse(body.toString()) as { data: unknown }
    return sum + (metersSchema.parse(data).meters.find(({ kind }) => kind === 'search')?.used ?? 0)
  }, 0)
}

/** Signed in advance, by each owner in turn, so that a run measures the service and not the signing. */
async function consumptions(pay: string, owners: readonly Identity[], name: string, count: number) {
  const requests: LoadRequest[] = []
  for (let i = 0; i < count; i++) {
    const owner = owners[i % owners.length]
    if (owner) requests.push(await consumption(pay, owner, `${name}-${i}`))
  }
  return requests
}

async function consumption(pay: string, owner: Identity, key: string): Promise<LoadRequest> {
  const url = `${pay}/quota/consume`
  const body = new TextEncoder().encode(JSON.stringify({ kind: 'search', key }))
  const authorization = await owner.assertion({ audience: 'provenance', method: 'POST', url, body, now: Date.now() })
  return { method: 'POST', url, body, headers: { authorization } }
}

async function read(pay: string, owner: Identity): Promise<LoadRequest> {
  const url = `${pay}/quota`
  const authorization = await owner.assertion({ audience: 'provenance', method: 'GET', url, now: Date.now() })
  return { method: 'GET', url, headers: { authorization } }
}
