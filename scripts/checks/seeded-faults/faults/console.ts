import { defineFaults } from '../fault.ts'

/** The console and the command line. */
export const CONSOLE_FAULTS = defineFaults([
  {
    id: 'console-inline-script',
    about: 'The policy of the console allows inline scripts',
    edits: [
      {
        find: `['script-src', "'self'", ...(isSignIn`,
        replace: `['script-src', "'self'", "'unsafe-inline'", ...(isSignIn`,
      },
    ],
    projects: ['console-node'],
    tests: ['src/deployment-files.test'],
  },
  {
    id: 'console-error-text',
    about: 'A person reads the text of an unknown error',
    edits: [
      {
        find: '    default:\n      return words.other',
        replace: '    default:\n      return error.message',
      },
    ],
    projects: ['console-node'],
    tests: ['src/shell/sentences.test'],
  },
  {
    id: 'cli-evidence-is-internal',
    about: 'Evidence that does not verify ends svc like a fault of svc',
    edits: [{ find: "case 'VerificationError': case 'DiscoveryError':", replace: "case 'DiscoveryError':" }],
    projects: ['cli-node'],
    tests: ['src/failures.test'],
  },
])
