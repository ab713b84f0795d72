import { alice, mallory } from '../../sides.ts'
import { keyAnswers, type Lie, NOW, verifying } from '../situation.ts'
import { act, DISALLOW, HASH, PATH, signatureOf } from './acts.ts'

/** Two acts, and the claim of somebody else. */
async function history() {
  const claim = {
    creator_did: mallory.did,
    preferences: { search: 'allow' as const },
    signature_b64u: await signatureOf({ search: 'allow' }, mallory, mallory.did),
    signer: { kind: 'root' as const, epoch: 0 },
    public_key_b64u: mallory.publicKeyB64u,
    recorded_at: NOW + 3,
    settled_at: null,
  }
  const page = {
    hash: HASH,
    creator_did: alice.did,
    at: NOW + 10,
    state: { preferences: DISALLOW, version: 2, source: 'declared' },
    entries: [await act(1, 'create', DISALLOW), await act(2, 'update', { search: 'allow' })],
    claims: [claim],
    next: null as number | null,
  }
  return { page, args: () => [HASH], answers: () => ({ ...keyAnswers(alice, mallory), [`${PATH}/history`]: page }) }
}
const falseAct = (
  lie: string,
  reason: Lie['reason'],
  version: number,
  tell: Lie<Awaited<ReturnType<typeof history>>>['tell'],
): Lie<Awaited<ReturnType<typeof history>>> => ({ lie, reason, tell, subject: 'consent', where: { version } })

export const CONSENT_HISTORY = [
  verifying({
    name: 'client.consent.history',
    honest: history,
    lies: [
      {
        lie: 'answers for another identifier',
        tell: (s) => {
          s.page.hash = 'another identifier'
        },
        subject: 'consent',
        reason: 'different_answer',
      },
      {
        lie: 'leaves out a page',
        tell: (s) => {
          s.page.next = 7
        },
        subject: 'consent',
        reason: 'left_out',
        where: { version: 7 },
      },
      falseAct('leaves out an act', 'gap', 2, (s) => void s.page.entries.shift()),
      falseAct('changes an act', 'signature', 2, (s) => {
        s.page.entries[1]!.preferences = DISALLOW
      }),
      falseAct('shows an act signed by somebody else', 'key', 2, async (s) => {
        s.page.entries[1] = await act(2, 'update', { search: 'allow' }, mallory)
      }),
      falseAct('dates an act before the one that it follows', 'time', 2, (s) => {
        s.page.entries[1]!.recorded_at = NOW
      }),
      {
        lie: 'changes the claim of somebody else',
        tell: (s) => void Object.assign(s.page.claims[0]!, { preferences: DISALLOW }),
        subject: 'consent',
        reason: 'invalid_signature',
        where: { member: 'claims' },
      },
    ],
  }),
]
