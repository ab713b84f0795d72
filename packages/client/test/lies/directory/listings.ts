import { statementHash } from '@svc/protocol/base/statement'
import { EMPTY_HEAD, foldHead, leafIdOf } from '@svc/protocol/keys/account-updates'
import { REALM } from '../../realm.ts'
import { alice, mallory } from '../../sides.ts'
import { deviceOf, LABEL, published } from '../published.ts'
import { NOW, verifying } from '../situation.ts'
import { directory, falsePackages, hashOf, ofAccount, ofDevice, ofPackage, updateOf } from './listed-device.ts'

/** What a directory lists of an account, and of a device. */
export const LISTINGS = [
  verifying({
    name: 'client.keyDirectory.list',
    honest: directory,
    lies: [
      ...falsePackages,
      ofAccount('answers for another account', 'different_answer', ({ page }) => {
        page.accountDid = mallory.did
      }),
      ofAccount('leaves out an update', 'left_out', ({ page }) => void page.updates.pop()),
      ofAccount('numbers the updates otherwise', 'left_out', ({ page }) => {
        page.updates[0]!.seq = 2
      }),
      ofPackage('shows a package that was replaced', 'replaced', async (s) => {
        const newer = await published(s.device, { version: 2, seq: 2 })
        const [older] = [s.shown]
        Object.assign(s.page, {
          updates: [updateOf(older), { ...updateOf(newer), package: null, statement: newer.credential.statement }],
          ...foldHead(EMPTY_HEAD, [hashOf(older), hashOf(newer)]),
        })
      }),
      ofPackage('shows a package that was revoked', 'revoked', async (s) => {
        const { deviceId } = s.device
        const statement = {
          type: 'svc/package-revocation/v1',
          realm: REALM,
          did: alice.did,
          scope: alice.scope,
          rootEpoch: 0,
          deviceId,
          version: 1,
          inception: null,
          issuedAt: NOW,
        } as const
        const hash = statementHash(statement)
        Object.assign(s.page, {
          updates: [
            ...s.page.updates,
            { seq: 2, leafId: leafIdOf(LABEL, hash), package: null, revocation: null, statement },
          ],
          ...foldHead(EMPTY_HEAD, [hashOf(s.shown), hash]),
        })
      }),
    ],
  }),
  verifying({
    name: 'client.keyDirectory.resolve',
    honest: ofDevice,
    lies: [
      ...falsePackages,
      ofPackage('answers with another device', 'mismatch', async (s) => {
        s.shown = await published(await deviceOf(4))
      }),
      ofPackage('answers for another profile', 'different_answer', (s) => {
        s.shown = { ...s.shown, profile: 'open-v4' }
      }),
    ],
  }),
]
