import { Person } from '@svc/platform/callers/person'
import type { Figure } from './figure.ts'
import { sendAll } from './load.ts'

const APPENDS = 1_280
const IDENTITIES = 64

/** Sequential appends to one identity, against the same number spread over 64 identities. */
export async function measureAppends(core: string): Promise<Figure[]> {
  const people: Person[] = []
  for (let i = 0; i <= IDENTITIES; i++) people.push(await Person.create(core))
  const [one, ...many] = people
  if (!one) throw new Error('nobody')
  await sendAll(await one.appends(100), 1, 201) // Warm-up.
  const alone = await one.appends(APPENDS)
  const together = await Promise.all(many.map((person) => person.appends(APPENDS / IDENTITIES)))
  const aloneMs = await timed(() => sendAll(alone, 1, 201))
  const togetherMs = await timed(() => Promise.all(together.map((requests) => sendAll(requests, 1, 201))))
  const rate = (milliseconds: number) => (APPENDS / milliseconds) * 1000
  return [
    {
      name: 'appends to 64 identities together / to one, per second',
      ratio: rate(togetherMs) / rate(aloneMs),
      bar: { limit: 1, good: 'at least' },
      detail: `${rate(togetherMs).toFixed(0)}/s / ${rate(aloneMs).toFixed(0)}/s, ${APPENDS} appends each`,
    },
  ]
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}
