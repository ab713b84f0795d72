import { defineFaults } from '../fault.ts'

/** The console and the command line. */
export const CONSOLE_FAULTS = defineFaults([
  {
    id: 'console-inline-script',
    promise: 'No injected script runs in the console.',
    find: `['script-src', "'self'", ...(isSignIn`,
    replace: `['script-src', "'self'", "'unsafe-inline'", ...(isSignIn`,
    tests: ['src/deployment-files.test'],
  },
  {
    id: 'console-error-text',
    promise: 'A person reads a sentence, not the text of an error.',
    find: 'if (!isOfSdk(error.name)) return words.other',
    replace: '  if (!isOfSdk(error.name)) return error.message',
    tests: ['src/failures/sentences.test'],
  },
  {
    id: 'cli-evidence-is-internal',
    promise: 'Evidence that does not verify has an exit status of its own.',
    find: "case 'VerificationError': case 'DiscoveryError':",
    replace: "case 'DiscoveryError':",
    tests: ['src/failures.test'],
  },
  {
    id: 'cli-json-mixed',
    promise: 'With --json a script reads JSON alone.',
    find: 'if (!this.#options.quiet && !this.#options.json) this.#environment.stderr',
    replace: 'if (!this.#options.quiet) this.#environment.stderr',
    tests: ['packages/cli/src/output.test'],
  },
  {
    id: 'console-third-party',
    promise: 'The console asks no third party for anything.',
    find: `['img-src', "'self'"],`,
    replace: `['img-src', "'self'", 'https:'],`,
    tests: ['src/deployment-files.test'],
  },
  {
    id: 'console-missing-as-page',
    promise: 'A missing file is never kept in the place of a script.',
    find: "if (!isVisit(request, url.pathname)) return refused(404, 'Not found')",
    replace: 'isVisit(request, url.pathname)',
    tests: ['local/console-worker'],
  },
  {
    id: 'console-all-immutable',
    promise: 'Only files that never change are kept for ever.',
    find: "const assets = ['/assets/*', '",
    replace: "const assets = ['/*', '",
    tests: ['local/console-worker', 'console-deployment'],
  },
  {
    id: 'shelf-hidden-by-one',
    promise: 'One note that does not verify hides no other.',
    find: 'else wrong += 1',
    replace: 'else throw answer.error',
    tests: ['notes/shelf.test'],
  },
  {
    id: 'german-in-english',
    promise: 'The console speaks German throughout.',
    find: "duplicate: 'Sie hatten es schon registriert. Das hat nichts gekostet.'",
    replace: "duplicate: 'You had registered it before. This cost nothing.'",
    tests: ['words/words.test'],
  },
  {
    id: 'log-picture-wrong',
    promise: 'The picture of a log shows all of it.',
    find: 'Math.floor(Math.log2(size - first))',
    replace: 'Math.floor(Math.log2(Math.max(1, size - first - 1)))',
    tests: ['log/peaks.test'],
  },
  {
    id: 'draft-lost',
    promise: 'What you typed is there again when you come back.',
    find: 'const draft = await this.#stored(place)',
    replace: "const draft = place === '' ? await this.#stored(place) : null",
    tests: ['drafts/drafts.test'],
  },
])
