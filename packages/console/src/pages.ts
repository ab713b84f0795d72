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
const pair = () => import('./start/pair-page.tsx').then(({ PairPage }) => PairPage)
const notes = () => import('./notes/notes-page.tsx').then(({ NotesPage }) => NotesPage)
const inbox = () => import('./inbox/inbox-page.tsx').then(({ InboxPage }) => InboxPage)
const backup = () => import('./backup/backup-page.tsx').then(({ BackupPage }) => BackupPage)
const recovery = () => import('./recovery/recovery-page.tsx').then(({ RecoveryPage }) => RecoveryPage)
const profile = () => import('./profile/profile-page.tsx').then(({ ProfilePage }) => ProfilePage)
const log = () => import('./log/log-page.tsx').then(({ LogPage }) => LogPage)
const requests = () => import('./explorer/explorer-page.tsx').then(({ ExplorerPage }) => ExplorerPage)
const verify = () => import('./verify/verify-page.tsx').then(({ VerifyPage }) => VerifyPage)

/** By address. The pages of sign-in are one, because a session lasts as long as they are open. */
const PAGES: Readonly<Record<string, Page>> = {
  '/': { title: words.home, load: home },
  '/pair': { title: words.pair, load: pair },
  '/sign-in': { title: words.signIn, load: signIn },
  '/create-account': { title: words.createAccount, load: signIn },
  '/recover': { title: words.recover, load: signIn },
  '/account': { title: words.account, load: signIn },
  '/did': { title: words.identity, load: profile },
  '/log': { title: words.log, load: log },
  '/notes': { title: words.notes, load: notes },
  '/inbox': { title: words.inbox, load: inbox },
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
