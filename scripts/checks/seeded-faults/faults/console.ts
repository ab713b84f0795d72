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
    find: 'default: return words.other',
    replace: '    default:\n      return error.message',
    tests: ['src/shell/sentences.test'],
  },
  {
    id: 'cli-evidence-is-internal',
    promise: 'Evidence that does not verify has an exit status of its own.',
    find: "case 'VerificationError': case 'DiscoveryError':",
    replace: "case 'DiscoveryError':",
    tests: ['src/failures.test'],
  },
])
