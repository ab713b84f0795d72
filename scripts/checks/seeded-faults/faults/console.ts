import { defineFaults } from '../fault.ts'

/** The console and the command line. */
export const CONSOLE_FAULTS = defineFaults([
  {
    id: 'console-inline-script',
    about: 'The policy of the console allows inline scripts',
    find: `['script-src', "'self'", ...(isSignIn`,
    replace: `['script-src', "'self'", "'unsafe-inline'", ...(isSignIn`,
    tests: ['src/deployment-files.test'],
  },
  {
    id: 'console-error-text',
    about: 'A person reads the text of an unknown error',
    find: 'default: return words.other',
    replace: '    default:\n      return error.message',
    tests: ['src/shell/sentences.test'],
  },
  {
    id: 'cli-evidence-is-internal',
    about: 'Evidence that does not verify ends svc like a fault of svc',
    find: "case 'VerificationError': case 'DiscoveryError':",
    replace: "case 'DiscoveryError':",
    tests: ['src/failures.test'],
  },
])
