import { describe, expect, it } from 'vitest'
import { freshCaller } from '../harness.ts'
import { memberOf } from '../rotation/rotation.fixture.ts'
import {
  acceptanceBy,
  attest,
  attestationOf,
  batch,
  chained,
  change,
  following,
  freshKeys,
  manyKeys,
  receiptOf,
  storedInception,
} from './inception.fixture.ts'
import { callers, organizationOf, rotate, rotationBy } from './organization.fixture.ts'

const RACERS = 20
const ascending = (a: number, b: number) => a - b
const statuses = (answers: readonly { status: number }[]) => answers.map(({ status }) => status).toSorted(ascending)
const oneWins = (racers = RACERS) => [200, ...Array<number>(racers - 1).fill(409)]
const twenty = <T>(make: (i: number) => Promise<T>) => Promise.all(Array.from({ length: RACERS }, (_, i) => make(i)))

describe('twenty concurrent requests', () => {
  it('that attest twenty devices on one head: one is accepted', async () => {
    const caller = await freshCaller()
    const head = await caller.client.devices.head()
    const keys = await manyKeys(RACERS)
    const events = await Promise.all(keys.map((one) => attestationOf(caller, one, head)))
    const answers = await Promise.all(events.map((event) => attest(caller, event)))
    expect(statuses(answers)).toEqual(oneWins())
    const winner = events[answers.findIndex(({ status }) => status === 200)]!
    const verified = await caller.client.devices.verify()
    expect(verified.head).toEqual(following(winner))
    expect(verified.devices.map(({ deviceId }) => deviceId)).toEqual([winner.statement.deviceId])
  })

  it('that attest one device by one event: it is appended once, and the others get its receipt', async () => {
    const caller = await freshCaller()
    const event = await attestationOf(caller, await freshKeys())
    const answers = await twenty(() => attest(caller, event))
    expect(statuses(answers)).toEqual(oneWins())
    const appended = receiptOf(answers.find(({ status }) => status === 200)!)
    for (const { body } of answers.filter(({ status }) => status === 409)) {
      expect(body).toMatchObject({ error: 'stale_inception_head', details: { appended } })
    }
    expect((await storedInception(caller)).events).toHaveLength(1)
  })

  it('that send batches on one head: one is appended completely', async () => {
    const caller = await freshCaller()
    const { devices } = caller.client
    const keys = await manyKeys(8)
    const batches = await Promise.all(
      [0, 2, 4, 6].map(async (at) =>
        chained(
          await devices.head(),
          keys.slice(at, at + 2).map((one) => (head) => attestationOf(caller, one, head)),
        ),
      ),
    )
    const answers = await Promise.all(batches.map((events) => batch(caller, events)))
    expect(statuses(answers)).toEqual(oneWins(4))
    const winner = batches[answers.findIndex(({ status }) => status === 200)]
    expect((await devices.page()).events).toEqual(winner)
  })

  it('that revoke a device and act as it: nothing by it is accepted after the revocation', async () => {
    const caller = await freshCaller()
    const { devices } = caller.client
    const { client, device } = await memberOf(caller, 'chain:read')
    const revocation = await devices.makeChange(device.deviceId, { event: 'revoke' }, await devices.head())
    const read = () =>
      client.chain.head().then(
        () => 200,
        ({ status }: { status: number }) => status,
      )
    const [{ status }, ...during] = await Promise.all([change(caller, revocation), ...Array.from({ length: 10 }, read)])
    expect(status).toBe(200)
    expect(during.filter((one) => one !== 200 && one !== 401)).toEqual([])
    expect(await twenty(read)).toEqual(Array<number>(RACERS).fill(401))
  })

  it('that change officers on one head: one change is accepted', async () => {
    const { org, officers } = await organizationOf(2, 2)
    const [ann, ben] = officers
    const rosters = [[ann!], [ben!], [ann!, ben!], [ben!, ann!]]
    const changes = await twenty((i) =>
      rotationBy(org, { officers: rosters[i % 4]!, quorum: 1, approving: [ann!, ben!] }),
    )
    const answers = await Promise.all(changes.map(rotate))
    expect(statuses(answers)).toEqual(oneWins())
    const winner = changes[answers.findIndex(({ status }) => status === 200)]!
    expect((await storedInception(org)).rosters.map(({ version }) => version)).toEqual([1, 2])
    expect(await org.client.devices.verify()).toMatchObject({
      roster: { version: 2, officers: winner.statement.officers },
      head: following(winner),
    })
  })
})

describe('concurrent writers using the SDK', () => {
  it('all end up in the log, in one order', async () => {
    const caller = await freshCaller()
    const { client, identity } = caller
    const acceptances = await Promise.all((await manyKeys(4)).map((keys) => acceptanceBy(keys, identity.did)))
    const events = await Promise.all(acceptances.map((acceptance) => client.devices.attest(acceptance)))
    await Promise.all(events.map(({ statement }) => client.devices.suspend(statement.deviceId)))
    const { devices, head } = await client.devices.verify()
    expect(head.sequence).toBe(8)
    expect(devices.map(({ status }) => status)).toEqual(['suspended', 'suspended', 'suspended', 'suspended'])
  })
})

describe('one device key', () => {
  it('requested by two identities at once goes to one', async () => {
    for (let round = 0; round < 4; round++) {
      const [alice, bob] = await callers(2)
      const keys = await freshKeys()
      const events = [await attestationOf(alice!, keys), await attestationOf(bob!, keys)] as const
      const answers = await Promise.all([attest(alice!, events[0]), attest(bob!, events[1])])
      expect(statuses(answers)).toEqual(oneWins(2))
      expect(answers.find(({ status }) => status === 409)!.body).toMatchObject({ error: 'key_in_use' })
      const heads = await Promise.all([alice!, bob!].map(({ client }) => client.devices.head()))
      expect(heads.map(({ sequence }) => sequence).toSorted(ascending)).toEqual([0, 1])
    }
  })

  it('requested by ten identities at once goes to one', async () => {
    const wanting = await callers(10)
    const keys = await freshKeys()
    const answers = await Promise.all(
      wanting.map(async (caller) => {
        const { devices } = caller.client
        const acceptance = await acceptanceBy(keys, caller.identity.did)
        return attest(caller, await devices.makeAttestation(acceptance, await devices.head()))
      }),
    )
    expect(statuses(answers)).toEqual(oneWins(10))
    expect(answers.filter(({ body }) => body['error'] === 'key_in_use')).toHaveLength(9)
  })
})
