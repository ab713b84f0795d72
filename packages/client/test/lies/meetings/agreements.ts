/** Key agreements that the log of the key directory refutes. */
import type { SignedKeyAgreement } from '@svc/protocol/base/key-agreement'
import { statementHash } from '@svc/protocol/base/statement'
import { RESOLUTION_ERROR_BASE } from '@svc/protocol/did/did'
import { REALM } from '../../realm.ts'
import { alice, heirOfAlice, mallory } from '../../sides.ts'
import { DIRECTORY, loggedUpdates } from '../logged-updates.ts'
import type { Logged } from '../mapped-log.ts'
import { documentOf, resolution } from '../resolution.ts'
import { data, type Lie, NOW, type Situation, verifying } from '../situation.ts'
import { contact } from './contacts.ts'

const DAY_MS = 24 * 3_600_000

const agreed = (now: number, changes: object = {}) => alice.keyAgreement({ realm: REALM, now, ...changes })
const loggedAs = ({ statement }: SignedKeyAgreement): Logged => ({
  statementHash: statementHash(statement),
  agreedAt: statement.issuedAt,
})

/** A situation in which the log has key agreements of Alice, and a service shows one of them. */
async function withLog<S extends Situation>(
  situation: S,
  state: (shown: SignedKeyAgreement) => unknown,
  logged: readonly Logged[],
) {
  const { answers } = situation
  const made = {
    ...situation,
    options: { ...situation.options, ...DIRECTORY },
    directory: await loggedUpdates(logged),
    log: async (...updates: readonly Logged[]) => {
      made.directory = await loggedUpdates(updates)
    },
    state,
    answers: () => ({ ...answers?.(), ...made.directory }),
  }
  return made
}
type WithLog = Awaited<ReturnType<typeof withLog>>

async function contacted() {
  const situation = await contact()
  const { opened } = situation
  const state = (shown: SignedKeyAgreement) => Object.assign(opened, { keyAgreement: shown })
  return withLog(situation, state, [loggedAs(opened.keyAgreement)])
}

async function resolved() {
  const situation = await resolution()
  const show = async (didDocument: Awaited<ReturnType<typeof documentOf>> | null) => {
    situation.result.didDocument = didDocument
    await situation.prove()
  }
  const state = async (shown: SignedKeyAgreement) => show(await documentOf(alice, shown))
  return Object.assign(await withLog(situation, state, [loggedAs(await agreed(NOW))]), { show })
}
type Resolved = Awaited<ReturnType<typeof resolved>>

const refuted =
  (reason: 'rollback' | 'left_out', position: number) =>
  <S extends WithLog>(lie: string, tell: Lie<S>['tell']): Lie<S> => ({
    lie,
    tell,
    subject: 'agreement',
    reason,
    where: { position },
  })

/** Refused by every method that returns an encryption key. */
const refutedByLog: readonly Lie<WithLog>[] = [
  refuted('rollback', NOW - 1)('shows a key that the owner has replaced', async (s) => s.state(await agreed(NOW - 1))),
  refuted('left_out', NOW)('shows another statement with the same time as the newest', async (s) =>
    s.state(await agreed(NOW, { sheets: [mallory] })),
  ),
  refuted('left_out', NOW - DAY_MS)('shows a day-old key that is not in the log', async (s) => {
    await s.log()
    await s.state(await agreed(NOW - DAY_MS))
  }),
  refuted('left_out', NOW - DAY_MS)('shows a day-old key although the log has an older one', async (s) => {
    await s.log(loggedAs(await agreed(NOW - 2 * DAY_MS)))
    await s.state(await agreed(NOW - DAY_MS))
  }),
  {
    ...refuted('rollback', NOW - 1)('shows an older key than before, also in the log', async (s: WithLog) => {
      await s.log(loggedAs(await agreed(NOW - 1)))
      await s.state(await agreed(NOW - 1))
    }),
    afterTruth: true,
  },
  {
    lie: 'says that the log has no key agreement',
    tell: (s) => {
      for (const [path, answer] of Object.entries(s.directory)) {
        if (!path.includes('/proof/')) continue
        const { data: account } = answer as { readonly data: object }
        if ('agreement' in account) Object.assign(s.directory, { [path]: data({ ...account, agreement: null }) })
      }
    },
    subject: 'account',
    reason: 'wrong_map',
  },
]

const notRegistered = { type: `${RESOLUTION_ERROR_BASE}NOT_FOUND`, title: 'Not found', detail: 'Not registered.' }
const bare = async (identity = alice) => {
  const { keyAgreement: _, ...document } = await documentOf(identity)
  return document
}

/** Her former root key has stated a key, and the next one none. */
async function afterRotation() {
  const { heir, keys } = await heirOfAlice()
  const situation = await resolved()
  const { answers } = situation
  await situation.log(loggedAs(await agreed(NOW - 1)))
  situation.result.didDocumentMetadata = { versionId: '1' }
  await situation.show(await bare(heir))
  const history = { did: alice.did, scope: alice.scope, next: null, rotation: null }
  return Object.assign(situation, {
    heir,
    answers: () => ({
      ...answers(),
      [`/api/chain/root/${alice.did}/history`]: (page: URLSearchParams) =>
        data({ ...history, keys: keys.slice(Number(page.get('from'))) }),
    }),
  })
}
type AfterRotation = Awaited<ReturnType<typeof afterRotation>>

export const AGREEMENTS = [
  verifying({
    name: 'client.contact.request',
    given: 'of an owner whose key is in the log',
    honest: contacted,
    lies: refutedByLog,
  }),
  verifying({
    name: 'client.did.keyAgreementOf',
    honest: resolved,
    lies: [
      ...refutedByLog,
      refuted('left_out', 0)('leaves the key agreement out of the document', async (s: Resolved) =>
        s.show(await bare()),
      ),
      refuted('left_out', 0)('says that an identity with a key agreement is not registered', async (s: Resolved) => {
        s.result.didResolutionMetadata.error = notRegistered
        await s.show(null)
      }),
      {
        lie: 'puts a key-agreement key of somebody else in the document',
        tell: async (s) => {
          const { keyAgreement = [] } = await documentOf(mallory)
          await s.show({ ...(await documentOf(alice)), keyAgreement })
        },
        subject: 'resolution',
        reason: 'invalid_signature',
        where: { member: 'didDocument.keyAgreement' },
      },
    ],
  }),
  verifying({
    name: 'client.did.keyAgreementOf',
    given: 'after a rotation',
    honest: afterRotation,
    lies: [
      refuted('left_out', 0)('leaves out what the new root key has stated', async (s: AfterRotation) => {
        await s.log(loggedAs(await agreed(NOW - 1)), loggedAs(await s.heir.keyAgreement({ realm: REALM, now: NOW })))
      }),
    ],
  }),
]
