import { Client } from '@svc/client'
import type { Figure } from './figure.ts'
import { type LoadRequest, median, sendAll } from './load.ts'
import { Person } from './people.ts'

const CONCURRENCY = 16
/** One request at a time is what one reader sees; at 16 the processor is the bound. */
const ALONE = 1
const ROUNDS = 8
const PER_ROUND = 200
const PEOPLE = 20

/** Resolution, which asks core once and signs, against the root read of the same objects, in alternating rounds. */
export async function measureResolution(core: string, did: string): Promise<Figure[]> {
  const people = await Promise.all(Array.from({ length: PEOPLE }, () => Person.create(core)))
  for (const { identity } of people) {
    await new Client({ core, did, identity, origin: 'http://localhost:3000' }).did.register()
  }
  const [one] = people
  const alone = await measure(people, did, ALONE)
  const crowd = await measure(people, did, CONCURRENCY)
  const single = one ? await measure([one], did, CONCURRENCY) : crowd
  return [
    figure('signed resolution / root read, p50, one at a time', alone),
    figure(`signed resolution / root read, p50, over ${PEOPLE} DIDs`, crowd),
    figure('signed resolution / root read, p50, of one DID', single),
  ]
}

interface Medians {
  readonly concurrency: number
  readonly resolution: number
  readonly root: number
  readonly count: number
}

async function measure(people: readonly Person[], did: string, concurrency: number): Promise<Medians> {
  const resolutions: number[] = []
  const roots: number[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const root = await sendAll(
      spread(people, (person) => person.rootRead),
      concurrency,
      200,
    )
    const resolution = await sendAll(
      spread(people, (person) => resolutionOf(person, did)),
      concurrency,
      200,
    )
    if (round === 0) continue // warms both up
    roots.push(...root.map(({ milliseconds }) => milliseconds))
    resolutions.push(...resolution.map(({ milliseconds }) => milliseconds))
  }
  return { concurrency, resolution: median(resolutions), root: median(roots), count: roots.length }
}

const resolutionOf = ({ identity }: Person, did: string): LoadRequest => ({
  method: 'GET',
  url: `${did}/1.0/identifiers/${identity.did}`,
})

/** The requests of one round, to each person in turn. */
function spread(people: readonly Person[], requestOf: (person: Person) => LoadRequest): LoadRequest[] {
  return Array.from({ length: PER_ROUND }, (_, i) => people[i % people.length]).flatMap((person) =>
    person ? [requestOf(person)] : [],
  )
}

function figure(name: string, { concurrency, resolution, root, count }: Medians): Figure {
  return {
    name,
    ratio: resolution / root,
    bar: { limit: 2, good: 'at most' },
    detail: `${resolution.toFixed(2)} ms / ${root.toFixed(2)} ms at concurrency ${concurrency}, ${count} each`,
  }
}
