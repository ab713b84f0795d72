import type { ComponentType } from 'preact'
import type { PageProps } from './page.ts'
import { words } from './words/shell/words.ts'

export interface Page {
  readonly title: string
  /** Loaded when its address is visited. */
  readonly load: () => Promise<ComponentType<PageProps>>
}

const signIn = () => import('./sign-in/sign-in-pages.tsx').then(({ SignInPages }) => SignInPages)
const home = () => import('./home/home-page.tsx').then(({ HomePage }) => HomePage)
const operator = () => import('./operator/operator-page.tsx').then(({ OperatorPage }) => OperatorPage)
const payments = () => import('./payments/payments-page.tsx').then(({ PaymentsPage }) => PaymentsPage)
const pair = () => import('./start/pair-page.tsx').then(({ PairPage }) => PairPage)
const notes = () => import('./notes/notes-page.tsx').then(({ NotesPage }) => NotesPage)
const inbox = () => import('./inbox/inbox-page.tsx').then(({ InboxPage }) => InboxPage)
const reply = () => import('./reply/reply-page.tsx').then(({ ReplyPage }) => ReplyPage)
const backup = () => import('./backup/backup-page.tsx').then(({ BackupPage }) => BackupPage)
const recovery = () => import('./recovery/recovery-page.tsx').then(({ RecoveryPage }) => RecoveryPage)
const profile = () => import('./profile/profile-page.tsx').then(({ ProfilePage }) => ProfilePage)
const log = () => import('./log/log-page.tsx').then(({ LogPage }) => LogPage)
const anchors = () => import('./anchors/anchors-page.tsx').then(({ AnchorsPage }) => AnchorsPage)
const chain = () => import('./chain/chain-page.tsx').then(({ ChainPage }) => ChainPage)
const directory = () => import('./directory/directory-page.tsx').then(({ DirectoryPage }) => DirectoryPage)
const organization = () =>
  import('./organization/organization-page.tsx').then(({ OrganizationPage }) => OrganizationPage)
const assets = () => import('./assets/assets-page.tsx').then(({ AssetsPage }) => AssetsPage)
const capsules = () => import('./capsules/capsules-page.tsx').then(({ CapsulesPage }) => CapsulesPage)
const consent = () => import('./consent/consent-page.tsx').then(({ ConsentPage }) => ConsentPage)
const requests = () => import('./explorer/explorer-page.tsx').then(({ ExplorerPage }) => ExplorerPage)
const verify = () => import('./verify/verify-page.tsx').then(({ VerifyPage }) => VerifyPage)

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
  load: () => import('./unknown-page.tsx').then(({ UnknownPage }) => UnknownPage),
}

export function pageAt(path: string): Page {
  if (path.startsWith('/did/')) return PAGES['/did'] ?? UNKNOWN
  return PAGES[path] ?? UNKNOWN
}
