import { statementHash } from '@svc/protocol/base/statement'
import { EMPTY_HEAD, foldHead, leafIdOf } from '@svc/protocol/keys/account-updates'
import { mallory } from '../../sides.ts'
import { deviceOf, LABEL, published, revocationOf } from '../published.ts'
import { verifying } from '../situation.ts'
import {
  type Directory,
  directory,
  falsePackages,
  hashOf,
  ofAccount,
  ofDevice,
  ofPackage,
  rotated,
  show,
  updateOf,
} from './listed-device.ts'
import { ownDirectory } from './own-directory.ts'

/** The directory shows a revocation of the package as a bare statement, and the package as if it were in force. */
function revoke({ shown, page }: Directory, changes: object = {}): void {
  const statement = { ...revocationOf(shown), ...changes }
  const hash = statementHash(statement)
  Object.assign(page, {
    updates: [...page.updates, { seq: 2, leafId: leafIdOf(LABEL, hash), package: null, revocation: null, statement }],
    ...foldHead(EMPTY_HEAD, [hashOf(shown), hash]),
  })
}

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
      ofPackage('shows a revocation that names an older event than the package', 'older_head', (s) =>
        revoke(s, { inception: null }),
      ),
      ofPackage('shows a package that was revoked', 'revoked', (s) => revoke(s)),
    ],
  }),
  verifying({
    name: 'client.keyDirectory.list',
    given: 'after a rotation',
    honest: rotated,
    lies: [
      ofPackage('shows a package that only the previous root key vouches for', 'stale_epoch', async (s) => {
        show(s, await published(s.device))
      }),
    ],
  }),
  verifying({
    name: 'client.keyDirectory.list',
    given: 'of its own account',
    honest: ownDirectory,
    lies: [
      ofPackage('shows a package of a device that was never attested', 'unknown_head', async (s) => {
        show(s, await published(await deviceOf(5)))
      }),
      {
        lie: 'shows a package that the root key vouched for after its device had ended',
        tell: async (situation) => {
          show(situation, await published(situation.device, { inception: situation.head }))
        },
        subject: 'package',
        reason: 'unordered',
      },
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
