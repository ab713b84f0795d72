import type { ComponentType } from 'preact'
import { chunk } from './failures/chunk.ts'
import type { PageProps } from './page.ts'
import { words } from './words/shell/words.ts'

export interface Page {
  readonly title: string
  /** Loaded when its address is visited. */
  readonly load: () => Promise<ComponentType<PageProps>>
}

const signIn = () => chunk(() => import('./sign-in/sign-in-pages.tsx').then(({ SignInPages }) => SignInPages))
const home = () => chunk(() => import('./home/home-page.tsx').then(({ HomePage }) => HomePage))
const operator = () => chunk(() => import('./operator/operator-page.tsx').then(({ OperatorPage }) => OperatorPage))
const payments = () => chunk(() => import('./payments/payments-page.tsx').then(({ PaymentsPage }) => PaymentsPage))
const pair = () => chunk(() => import('./start/pair-page.tsx').then(({ PairPage }) => PairPage))
const notes = () => chunk(() => import('./notes/notes-page.tsx').then(({ NotesPage }) => NotesPage))
const inbox = () => chunk(() => import('./inbox/inbox-page.tsx').then(({ InboxPage }) => InboxPage))
const reply = () => chunk(() => import('./reply/reply-page.tsx').then(({ ReplyPage }) => ReplyPage))
const backup = () => chunk(() => import('./backup/backup-page.tsx').then(({ BackupPage }) => BackupPage))
const recovery = () => chunk(() => import('./recovery/recovery-page.tsx').then(({ RecoveryPage }) => RecoveryPage))
const profile = () => chunk(() => import('./profile/profile-page.tsx').then(({ ProfilePage }) => ProfilePage))
const log = () => chunk(() => import('./log/log-page.tsx').then(({ LogPage }) => LogPage))
const anchors = () => chunk(() => import('./anchors/anchors-page.tsx').then(({ AnchorsPage }) => AnchorsPage))
const chain = () => chunk(() => import('./chain/chain-page.tsx').then(({ ChainPage }) => ChainPage))
const directory = () => chunk(() => import('./directory/directory-page.tsx').then(({ DirectoryPage }) => DirectoryPage))
const organization = () =>
  chunk(() => import('./organization/organization-page.tsx').then(({ OrganizationPage }) => OrganizationPage))
const assets = () => chunk(() => import('./assets/assets-page.tsx').then(({ AssetsPage }) => AssetsPage))
const capsules = () => chunk(() => import('./capsules/capsules-page.tsx').then(({ CapsulesPage }) => CapsulesPage))
const consent = () => chunk(() => import('./consent/consent-page.tsx').then(({ ConsentPage }) => ConsentPage))
const requests = () => chunk(() => import('./explorer/explorer-page.tsx').then(({ ExplorerPage }) => ExplorerPage))
const verify = () => chunk(() => import('./verify/verify-page.tsx').then(({ VerifyPage }) => VerifyPage))

/** By address. The pages of sign-in are one, because a session lasts as long as they are open. */
const PAGES: Readonly<Record<string, Page>> = {
  '/': { title: words.home, load: home },
  '/pair': { title: words.pair, load: pair },
  '/anchors': { title: words.anchors, load: anchors },
  '/chain': { title: words.chain, load: chain },
  '/directory': { title: words.directory, load: directory },
  '/organization': { title: words.organization, load: organization },
  '/assets': { title: words.assets, load: assets },
  '/capsules': { title: words.capsules, load: capsules },
  '/consent': { title: words.consent, load: consent },
  '/operator': { title: words.operator, load: operator },
  '/payments': { title: words.payments, load: payments },
  '/sign-in': { title: words.signIn, load: signIn },
  '/create-account': { title: words.createAccount, load: signIn },
  '/recover': { title: words.recover, load: signIn },
  '/account': { title: words.account, load: signIn },
  '/did': { title: words.identity, load: profile },
  '/log': { title: words.log, load: log },
  '/notes': { title: words.notes, load: notes },
  '/inbox': { title: words.inbox, load: inbox },
  '/reply': { title: words.reply, load: reply },
  '/backup': { title: words.backup, load: backup },
  '/recovery': { title: words.recovery, load: recovery },
  '/requests': { title: words.requests, load: requests },
  '/verify': { title: words.verify, load: verify },
  '/verify/': { title: words.verify, load: verify },
}

const UNKNOWN: Page = {
  title: words.unknownTitle,
  load: () => chunk(() => import('./unknown-page.tsx').then(({ UnknownPage }) => UnknownPage)),
}

export function pageAt(path: string): Page {
  // An identity or a note has an address of its own below its page.
  for (const above of ['/did', '/notes']) if (path.startsWith(`${above}/`)) return PAGES[above] ?? UNKNOWN
  return PAGES[path] ?? UNKNOWN
}
