import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import * as opaque from '@serenity-kit/opaque'
import { type LoadRequest, send } from '@svc/platform/callers/send'
import { RistrettoGroup } from '../../../workers/auth/src/opaque/group.ts'
import { OpaqueServer } from '../../../workers/auth/src/opaque/rules.ts'
import { median, sendAll } from '../figures/load.ts'
import { runtimeMs } from '../figures/processor-time.ts'
import { DUMMY_TOKEN } from '../restore/memories/cast.ts'
import { Authenticator, ORIGIN, RP_ID } from './authenticator.ts'
import { urlOf } from './databases.ts'
import { LoginFloor } from './login-floor.ts'
import { Peer, type PeerRequest, requestsTo } from './peer.ts'
import { type Compared, compare, figure, ratioOf, type Take } from './rounds.ts'
import { type Lines, line, type Scene, shown } from './scene.ts'
import { taken } from './taken.ts'

const ROUNDS = 5
const ACCOUNTS = 24
const CONCURRENCY = 8
/** Logins of every account in a round, where nobody else takes a turn: the system counts in hundredths of a second. */
const REPEATED = 4
const IN_PROCESS = 200
const PASSWORD = 'correct horse battery staple'
/** The client stretches, which is not what is measured. */
const keyStretching = { 'argon2id-custom': { iterations: 1, memory: 64, parallelism: 1 } } as const

/** better-auth's passwords, and the servers' cores of OPAQUE and passkeys. */
export async function compareSignIn(scene: Scene): Promise<Lines> {
  await opaque.ready
  const auth = `${scene.platform.urls.auth}/api/auth`
  const names = await passwordAccounts(auth)
  const passkeys = await passkeyAccounts(auth)
  const password = () => passwordLogins(auth, names)
  const passkey = () => passkeyLogins(auth, passkeys)
  const [withPasswords, withPasskeys] = await besideBetterAuth(scene, password, passkey)
  const core = await opaqueCores(scene.programs)
  const { logins, floors, verifications } = await besideFloor(scene.programs, passkeys, passkey)
  const [verify, floor] = [median(verifications), median(floors)]
  const each = (parts: readonly number[]) => ratioOf(logins.map((login, i) => login / (parts[i] ?? Number.NaN)))
  const [passkeyRatio, floorRatio] = [each(verifications), each(floors)]
  const unequal = 'ours takes two requests, and its client stretches'
  return {
    skipped: withPasswords ? [] : ['better-auth: PostgreSQL is not installed'],
    rows: [
      ...(withPasswords ? [line('better-auth: password, against OPAQUE', withPasswords, unequal)] : []),
      ...(withPasskeys
        ? [line('better-auth: password, against a passkey', withPasskeys, 'ours takes two requests')]
        : []),
      [
        '@serenity-kit/opaque: first message of a login, in process',
        `${core.theirs.toFixed(2)} ms`,
        `${core.ours.toFixed(2)} ms`,
        `${shown(core.ratio)} time`,
        'WebAssembly of Rust against TypeScript with a small module for the group',
      ],
      [
        '@simplewebauthn/server: verification of a login, in process',
        `${verify.toFixed(2)} ms`,
        `${median(logins).toFixed(2)} ms CPU`,
        `${shown(passkeyRatio)} CPU`,
        'ours is a whole login in two requests, over HTTP',
      ],
      [
        'a login with a passkey against its floor',
        `${floor.toFixed(2)} ms CPU`,
        `${median(logins).toFixed(2)} ms CPU`,
        `${shown(floorRatio)} CPU`,
        'the floor is two requests, one object that remembers, a read and a batch of D1, and one verification',
      ],
    ],
    figures: [
      ...(withPasswords
        ? figure(
            'OPAQUE login / better-auth, processor time',
            withPasswords.processor,
            { limit: 0.1, good: 'at most' },
            '',
          )
        : []),
      ...(withPasskeys
        ? figure(
            'passkey login / better-auth, processor time',
            withPasskeys.processor,
            { limit: 0.1, good: 'at most' },
            '',
          )
        : []),
      ...figure('OPAQUE core / serenity, time', core.ratio, { limit: 1.5, good: 'at most' }, ''),
      ...figure('passkey login / verification alone, processor time', passkeyRatio, { limit: 10, good: 'at most' }, ''),
      ...figure(
        'passkey login / its floor, processor time',
        floorRatio,
        { limit: 2, good: 'at most' },
        `the floor is ${(floor / verify).toFixed(1)} verifications`,
      ),
    ],
  }
}

async function besideBetterAuth(
  { programs, postgres }: Scene,
  password: () => Promise<Take>,
  passkey: () => Promise<Take>,
): Promise<[Compared, Compared] | []> {
  if (!postgres) return []
  const peer = await Peer.start(programs, 'passwords')
  try {
    const port = await peer.call<number>('start', { url: urlOf(postgres, 'passwords') })
    const requests = async (name: string) =>
      requestsTo(port, await peer.call<PeerRequest[]>(name, { count: ACCOUNTS })).map((request) => ({
        ...request,
        headers: { origin: 'http://127.0.0.1' },
      }))
    await sendAll(await requests('signUp'), CONCURRENCY, 200)
    const signIns = await requests('signIn')
    const theirs = () =>
      taken(signIns, 200, () => peer.processorMs + postgres.processorMs(), { concurrency: CONCURRENCY })
    return [await compare(ROUNDS, { theirs, ours: password }), await compare(ROUNDS, { theirs, ours: passkey })]
  } finally {
    peer.stop()
  }
}

async function posted<T>(url: string, body: object): Promise<T> {
  const answer = await send(post(url, body))
  if (answer.status !== 200) throw new Error(`${url}: ${answer.status} ${answer.body.toString()}`)
  return dataIn<T>(answer.body)
}

const dataIn = <T>(body: Buffer) => (JSON.parse(body.toString()) as { readonly data: T }).data

function post(url: string, body: object): LoadRequest {
  return { method: 'POST', url, body: new TextEncoder().encode(JSON.stringify(body)), headers: { origin: ORIGIN } }
}

async function grantAt(auth: string): Promise<string> {
  const { grant } = await posted<{ grant: string }>(`${auth}/turnstile/verify`, {
    token: DUMMY_TOKEN,
    action: 'register',
  })
  return grant
}

async function passwordAccounts(auth: string): Promise<string[]> {
  const names: string[] = []
  for (let i = 0; i < ACCOUNTS; i++) {
    const [grant, identifier] = [await grantAt(auth), `person-${i}-${crypto.randomUUID().slice(0, 8)}`]
    const { clientRegistrationState, registrationRequest } = opaque.client.startRegistration({ password: PASSWORD })
    const begun = await posted<{ registrationResponse: string }>(`${auth}/opaque/register/init`, {
      grant,
      identifier,
      registrationRequest,
    })
    const { registrationRecord } = opaque.client.finishRegistration({
      password: PASSWORD,
      registrationResponse: begun.registrationResponse,
      clientRegistrationState,
      keyStretching,
    })
    await posted(`${auth}/opaque/register/finish`, { grant, identifier, registrationRecord })
    names.push(identifier)
  }
  return names
}

async function passkeyAccounts(auth: string): Promise<Authenticator[]> {
  const authenticators: Authenticator[] = []
  for (let i = 0; i < ACCOUNTS; i++) {
    const authenticator = new Authenticator()
    const grant = await grantAt(auth)
    const url = `${auth}/passkey/register`
    const begun = await posted<Begun>(url, { step: 'options', grant, name: `Person ${i}` })
    const response = authenticator.create(begun.options)
    await posted(url, { step: 'verify', ceremonyId: begun.ceremonyId, response })
    authenticators.push(authenticator)
  }
  return authenticators
}

interface Begun {
  readonly ceremonyId: string
  readonly options: { readonly challenge: string; readonly user?: { readonly id: string } }
}

/** Both requests of each; what the client does between them is in no figure. */
async function passwordLogins(auth: string, names: readonly string[]): Promise<Take> {
  const begun = names.map((identifier) => ({ identifier, ...opaque.client.startLogin({ password: PASSWORD }) }))
  const first = await counted(
    begun.map(({ identifier, startLoginRequest }) =>
      post(`${auth}/opaque/login/init`, { identifier, startLoginRequest }),
    ),
  )
  const second = await counted(
    first.bodies.map((body, i) => {
      const { ceremonyId, loginResponse } = dataIn<{ ceremonyId: string; loginResponse: string }>(body)
      const clientLoginState = begun[i]?.clientLoginState ?? ''
      const finished = opaque.client.finishLogin({ clientLoginState, loginResponse, password: PASSWORD, keyStretching })
      const finishLoginRequest = finished?.finishLoginRequest ?? ''
      return post(`${auth}/opaque/login/finish`, { ceremonyId, finishLoginRequest })
    }),
  )
  return together(first, second)
}

async function passkeyLogins(auth: string, authenticators: readonly Authenticator[]): Promise<Take> {
  const url = `${auth}/passkey/authenticate`
  const first = await counted(authenticators.map(() => post(url, { step: 'options' })))
  const second = await counted(
    authenticators.map((authenticator, i) => {
      const { ceremonyId, options } = dataIn<Begun>(first.bodies[i] ?? Buffer.of())
      return post(url, { step: 'verify', ceremonyId, response: authenticator.get(options.challenge) })
    }),
  )
  return together(first, second)
}

type Counted = Awaited<ReturnType<typeof taken>>

const counted = (requests: readonly LoadRequest[]) => taken(requests, 200, runtimeMs, { concurrency: CONCURRENCY })

const together = (first: Counted, second: Counted): Take => ({
  count: first.count,
  milliseconds: first.milliseconds + second.milliseconds,
  processorMs: first.processorMs + second.processorMs,
})

/** Milliseconds of processor time for a login, for its floor and for a verification alone, of each round. */
async function besideFloor(programs: string, authenticators: readonly Authenticator[], login: () => Promise<Take>) {
  const floor = await LoginFloor.start()
  const peer = await Peer.start(programs, 'passkeys')
  const verification = verificationAt(peer, authenticators[0])
  const times = { logins: [] as number[], floors: [] as number[], verifications: [] as number[] }
  try {
    for (let round = 0; round <= ROUNDS; round++) {
      const takes: Take[] = []
      for (let i = 0; i < REPEATED; i++) takes.push(await login())
      const bare = await floor.processorMs(REPEATED * ACCOUNTS, CONCURRENCY)
      const alone = await verification()
      if (round === 0) continue // Warm-up.
      const total = (of: (take: Take) => number) => takes.reduce((sum, take) => sum + of(take), 0)
      times.logins.push(total(({ processorMs }) => processorMs) / total(({ count }) => count))
      times.floors.push(bare)
      times.verifications.push(alone)
    }
    return times
  } finally {
    peer.stop()
    await floor.stop()
  }
}

/** The server's part of the first message of a login, in two processes of the same Node.js. */
async function opaqueCores(programs: string) {
  const serenity = await Peer.start(programs, 'opaque')
  try {
    await serenity.call('start')
    const own = ownCore()
    const times = { theirs: [] as number[], ours: [] as number[] }
    for (let round = 0; round <= ROUNDS; round++) {
      const theirs = await serenity.call<number>('logIn', { count: IN_PROCESS })
      const ours = own(IN_PROCESS)
      if (round === 0) continue // Warm-up.
      times.theirs.push(theirs / IN_PROCESS)
      times.ours.push(ours / IN_PROCESS)
    }
    const ratio = ratioOf(times.ours.map((ms, i) => ms / (times.theirs[i] ?? Number.NaN)))
    return { theirs: median(times.theirs), ours: median(times.ours), ratio }
  } finally {
    serenity.stop()
  }
}

function ownCore(): (count: number) => number {
  const assembled = readFileSync(new URL('../../../workers/auth/src/opaque/ristretto.wasm', import.meta.url))
  const server = new OpaqueServer(new RistrettoGroup(new WebAssembly.Module(assembled)))
  const keys = server.deriveKeys(randomBytes(32))
  const identifier = randomBytes(32)
  const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'))
  const begun = opaque.client.startRegistration({ password: PASSWORD })
  const response = server.registrationResponse(keys, identifier, bytes(begun.registrationRequest))
  if (!response.ok) throw new Error(response.error.reason)
  const { registrationRecord } = opaque.client.finishRegistration({
    password: PASSWORD,
    registrationResponse: Buffer.from(response.value).toString('base64url'),
    clientRegistrationState: begun.clientRegistrationState,
    keyStretching,
  })
  const record = server.parseRecord(bytes(registrationRecord))
  if (!record.ok) throw new Error(record.error.reason)
  return (count) => {
    const logins = Array.from({ length: count }, () =>
      bytes(opaque.client.startLogin({ password: PASSWORD }).startLoginRequest),
    )
    const startedAt = performance.now()
    for (const ke1 of logins) {
      const chance = { maskingNonce: randomBytes(32), serverNonce: randomBytes(32), keyshareSeed: randomBytes(32) }
      const answer = server.answerLogin(keys, identifier, record.value, ke1, chance, { context: new Uint8Array() })
      if (!answer.ok) throw new Error(answer.error.reason)
    }
    return performance.now() - startedAt
  }
}

/** Milliseconds for one verification by @simplewebauthn/server. */
function verificationAt(peer: Peer, authenticator: Authenticator | undefined): () => Promise<number> {
  if (!authenticator) throw new Error('no passkey')
  const challenge = randomBytes(32).toString('base64url')
  const response = authenticator.get(challenge)
  const { publicKeyB64 } = authenticator
  const about = { count: IN_PROCESS, response, challenge, origin: ORIGIN, rpId: RP_ID, publicKeyB64 }
  return async () => (await peer.call<number>('verify', about)) / IN_PROCESS
}
