import { rotationIdOf } from '@svc/protocol/chain/rotation'
import { expect, it } from 'vitest'
import { fetchOf } from '../../test/fetch.ts'
import { DIRECTORY, loggedUpdates } from '../../test/lies/logged-updates.ts'
import { alice, heirOfAlice } from '../../test/sides.ts'
import { Client } from '../client.ts'
import type { Transparency } from '../keys/transparency.ts'
import { Activations } from './activations.ts'

const { did, scope } = alice
const { evidence, keys } = await heirOfAlice()
const rotationId = rotationIdOf(evidence.request.statement)
const OTHER = 'a7'.repeat(48)
const DAY_MS = 24 * 3_600_000
const NOW = evidence.activatedAt
const DIRECTORY_PATH = '/api/transparency/'

type Answers = Readonly<Record<string, unknown>>

interface Deployment {
  readonly activatedAt?: number
  readonly keys?: string | undefined
}

/** Returns a client of a core that claims the rotation and a directory with these responses, and its requests. */
function clientOf(answers: Answers, deployment: Deployment = {}) {
  const { activatedAt = NOW, keys: directory } = { keys: 'https://keys.test', ...deployment }
  const shown = keys.map((key) => ({ ...key, activatedAt }))
  const asked: string[] = []
  const fetch = fetchOf(async ({ url }) => {
    const { pathname, searchParams } = new URL(url)
    if (!pathname.startsWith(DIRECTORY_PATH)) {
      const data = { did, scope, keys: shown.slice(Number(searchParams.get('from'))), next: null, rotation: null }
      return Response.json({ success: true, data, timestamp: NOW })
    }
    asked.push(pathname)
    const body = answers[pathname]
    if (body) return Response.json(body)
    return Response.json({ success: false, error: 'not_found', message: pathname, timestamp: NOW }, { status: 404 })
  })
  const clock = { now: NOW }
  const { keys: origin, ...options } = { ...DIRECTORY, keys: directory }
  const client = new Client({
    core: 'https://core.test',
    did: 'https://did.test',
    ...options,
    ...(origin === undefined ? {} : { keys: origin }),
    fetch,
    now: () => clock.now,
    sleep: async () => {},
  })
  return { client, asked, clock }
}
const activatedIn = async ({ client }: ReturnType<typeof clientOf>) =>
  (await client.keyHistory.of(did)).map(({ activated }) => activated)

it('is proved by the log of the directory, which is queried once', async () => {
  const known = clientOf(await loggedUpdates([OTHER, rotationId]))
  expect(await activatedIn(known)).toEqual(['proved', 'proved'])
  const { length } = known.asked
  expect(await activatedIn(known)).toEqual(['proved', 'proved'])
  expect(known.asked).toHaveLength(length)
})

it('is claimed while the log does not have it, and is checked again after a minute', async () => {
  const known = clientOf(await loggedUpdates([OTHER]))
  expect(await activatedIn(known)).toEqual(['proved', 'claimed'])
  const { length } = known.asked
  expect(await activatedIn(known)).toEqual(['proved', 'claimed'])
  expect(known.asked).toHaveLength(length)
  known.clock.now += 60_000
  expect(await activatedIn(known)).toEqual(['proved', 'claimed'])
  expect(known.asked.length).toBeGreaterThan(length)
})

it('is claimed if there is no directory or it is unavailable, however old the rotation is', async () => {
  const activatedAt = NOW - 2 * DAY_MS
  expect(await activatedIn(clientOf({}, { activatedAt }))).toEqual(['proved', 'claimed'])
  expect(await activatedIn(clientOf({}, { activatedAt, keys: undefined }))).toEqual(['proved', 'claimed'])
})

it('is refuted by a log that does not have it a day later', async () => {
  const answers = await loggedUpdates([OTHER])
  const refuted = { subject: 'keys', reason: 'not_activated', where: { epoch: 1 } }
  await expect(activatedIn(clientOf(answers, { activatedAt: NOW - DAY_MS }))).rejects.toMatchObject(refuted)
  expect(await activatedIn(clientOf(answers, { activatedAt: NOW - DAY_MS + 1 }))).toEqual(['proved', 'claimed'])
})

it('is not proved by the log entry of another update', async () => {
  const answers = await loggedUpdates([OTHER])
  const [label] = Object.keys(answers).filter((path) => path.endsWith(OTHER))
  const moved = { ...answers, [label!.replace(OTHER, rotationId)]: answers[label!] }
  await expect(activatedIn(clientOf(moved))).rejects.toMatchObject({ subject: 'transparency', reason: 'not_included' })
})

it('is remembered up to a limit', async () => {
  let asked = 0
  const proveUpdate = async () => {
    asked += 1
    return {}
  }
  const directory = { proveUpdate } as unknown as Transparency
  const activations = new Activations(
    async () => directory,
    () => NOW,
  )
  const ask = (one: number) => activations.of(`did:svc:${one}`, evidence)
  for (let one = 0; one <= 10_000; one++) await ask(one)
  expect(asked).toBe(10_001)
  await ask(10_000)
  expect(asked).toBe(10_001)
  await ask(0)
  expect(asked).toBe(10_002)
})
