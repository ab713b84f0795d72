import { randomBytes } from 'node:crypto'
import * as opaque from '@serenity-kit/opaque'
import { median, sendAll } from '../figures/load.ts'
import { type Authenticator, ORIGIN, RP_ID } from './authenticator.ts'
import { urlOf } from './databases.ts'
import { LoginFloor } from './login-floor.ts'
import { ACCOUNTS, CONCURRENCY, passkeyAccounts, passkeyLogins, passwordAccounts, passwordLogins } from './logins.ts'
import { opaqueCores } from './opaque-cores.ts'
import { Peer, type PeerRequest, requestsTo } from './peer.ts'
import { type Compared, compare, figure, ratioOf, type Take } from './rounds.ts'
import { type Lines, line, type Scene, shown } from './scene.ts'
import { taken } from './taken.ts'

const ROUNDS = 5
/** Logins of every account in a round, where nobody else takes a turn: the system counts in hundredths of a second. */
const REPEATED = 4
const IN_PROCESS = 200

/** better-auth's passwords, and the servers' cores of OPAQUE and passkeys. */
export async function compareSignIn(scene: Scene): Promise<Lines> {
  await opaque.ready
  const auth = `${scene.platform.urls.auth}/api/auth`
  const names = await passwordAccounts(auth)
  const passkeys = await passkeyAccounts(auth)
  const password = () => passwordLogins(auth, names)
  const passkey = () => passkeyLogins(auth, passkeys)
  const [withPasswords, withPasskeys] = await besideBetterAuth(scene, password, passkey)
  const core = await opaqueCores(scene.programs, ROUNDS, IN_PROCESS)
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

/** Milliseconds for one verification by @simplewebauthn/server. */
function verificationAt(peer: Peer, authenticator: Authenticator | undefined): () => Promise<number> {
  if (!authenticator) throw new Error('no passkey')
  const challenge = randomBytes(32).toString('base64url')
  const response = authenticator.get(challenge)
  const { publicKeyB64 } = authenticator
  const about = { count: IN_PROCESS, response, challenge, origin: ORIGIN, rpId: RP_ID, publicKeyB64 }
  return async () => (await peer.call<number>('verify', about)) / IN_PROCESS
}
