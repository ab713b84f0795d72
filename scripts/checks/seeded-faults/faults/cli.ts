import { defineFaults } from '../fault.ts'

/** The command line. */
export const CLI_FAULTS = defineFaults([
  {
    id: 'cli-evidence-is-internal',
    about: 'Evidence that does not verify ends svc like a fault of svc',
    edits: [{ find: "case 'VerificationError': case 'DiscoveryError':", replace: "case 'DiscoveryError':" }],
    projects: ['cli-node'],
    tests: ['src/failures.test'],
  },
])
