import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, expect, it, vi } from 'vitest'
import { AccountMapObject } from '../src/account-map/object.ts'
import { BeaconObject } from '../src/beacon/object.ts'
import { TestWitness } from './beacon/beacon.fixture.ts'
import { opened } from './transparency/log.fixture.ts'

afterEach(() => vi.restoreAllMocks())

/** The lines with `alarm` that are written meanwhile. */
async function raised(work: () => Promise<unknown>): Promise<object[]> {
  const lines: object[] = []
  const error = vi.spyOn(console, 'error').mockImplementation((line: string) => void lines.push(JSON.parse(line)))
  await work()
  error.mockRestore()
  return lines
}

it('rings when no map of accounts can be made', async () => {
  await opened()
  const TRANSPARENCY_LOG = {
    getByName: () => {
      throw new Error('canary: the log is gone')
    },
  }
  const name = crypto.randomUUID()
  const lines = await runInDurableObject(env.ACCOUNT_MAP.getByName(name), async (_, ctx) => {
    const cut = new AccountMapObject(ctx, { ...env, TRANSPARENCY_LOG } as unknown as Env)
    cut.wake()
    return raised(() => cut.alarm())
  })
  expect(lines).toMatchObject([{ service: 'keys', alarm: 'map_not_published' }])
  expect(JSON.stringify(lines)).not.toContain('canary')
})

it('rings when a witness does not cosign the beacon, and names its host', async () => {
  await opened()
  const { keys } = await TestWitness.create()
  const BEACON_WITNESSES = [
    { url: 'https://witness.test/w1', verifierKeys: keys.map(({ verifierKey }) => verifierKey) },
  ]
  const lines = await runInDurableObject(env.BEACON.getByName(crypto.randomUUID()), async (_, ctx) => {
    const beacon = new BeaconObject(ctx, { ...env, BEACON_WITNESSES })
    return raised(() => beacon.alarm())
  })
  expect(lines).toMatchObject([{ service: 'keys', alarm: 'beacon_not_cosigned', subject: 'witness.test' }])
})
