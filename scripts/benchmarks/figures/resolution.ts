import { Client } from '@svc/client'
import { Person } from '@svc/platform/callers/person'
import type { LoadRequest } from '@svc/platform/callers/send'
import type { Figure } from './figure.ts'
import { measureOverFloor, withFloor } from './floor.ts'

const CONCURRENCY = 16
/** At 1, the latency that a single reader sees; at 16, the processor is the bottleneck. */
const ALONE = 1
const ROUNDS = 8
const PER_ROUND = 200
const PEOPLE = 20

/** Resolution, which calls core once and signs, against its floor. */
export async function measureResolution(core: string, did: string): Promise<Figure[]> {
  const people = await Promise.all(Array.from({ length: PEOPLE }, () => Person.create(core)))
  for (const { identity } of people) {
    await new Client({ core, did, identity, origin: 'http://localhost:3000' }).did.register()
  }
  return withFloor(async (floor) => {
    const figure = (name: string, concurrency: number, whom: readonly Person[]) =>
      measureOverFloor(floor, {
        name: `signed resolution${name}`,
        floor: { objectCalls: 1 },
        limit: 5,
        concurrency,
        rounds: ROUNDS,
        requests: async () => spread(whom, (person) => resolutionOf(person, did)),
      })
    return [
      await figure(', one at a time', ALONE, people),
      await figure(` over ${PEOPLE} DIDs`, CONCURRENCY, people),
      await figure(' of one DID', CONCURRENCY, people.slice(0, 1)),
    ]
  })
}

const resolutionOf = ({ identity }: Person, did: string): LoadRequest => ({
  method: 'GET',
  url: `${did}/1.0/identifiers/${identity.did}`,
})

/** The requests of one round, for each identity in turn. */
function spread(people: readonly Person[], requestOf: (person: Person) => LoadRequest): LoadRequest[] {
  return Array.from({ length: PER_ROUND }, (_, i) => people[i % people.length]).flatMap((person) =>
    person ? [requestOf(person)] : [],
  )
}
