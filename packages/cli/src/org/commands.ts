import type { CommandSpec } from '../command.ts'

const DID = 'did:svc:RQ7Xn0nE0m1yqYb9h3JvWc2dT5KfLgAz'
const MEMBER = '<member>'
const APPENDED = ['memberDid', 'event', 'sequence', 'hash']

export const ORG_COMMANDS: readonly CommandSpec[] = [
  {
    path: 'org propose',
    summary: 'Write a list of officers, for each of them to accept',
    options: [
      ['--officer <dids...>', 'the officers'],
      ['--quorum <n>', 'how many of them a change needs (default: more than half)'],
      ['--out <file>', 'default: officers.json'],
    ],
    result: ['file', 'officers', 'quorum', 'version'],
    examples: [`svc org propose --officer ${DID} --quorum 1`],
    page: '/developer/organization-officers',
    run: async (context, given) => (await import('./officers.ts')).propose(context, given),
  },
  {
    path: 'org accept',
    summary: 'Accept a list of officers as one of them, or an invitation as the member',
    args: ['<file>'],
    options: [['--out <file>', 'default: the file with .accepted.json']],
    result: ['file', 'org', 'as'],
    examples: ['svc org accept officers.json --yes', 'svc org accept invitation.json --yes'],
    run: async (context, given) => (await import('./accept.ts')).accept(context, given),
  },
  {
    path: 'org create',
    summary: 'Make this identity an organization, or change its officers, with what they have accepted',
    args: ['<proposal>'],
    options: [['--accepted <files...>', 'what svc org accept wrote']],
    result: ['org', 'version', 'officers', 'quorum'],
    examples: ['svc org create officers.json --accepted officers.json.accepted.json --yes'],
    run: async (context, given) => (await import('./officers.ts')).create(context, given),
  },
  {
    path: 'org officers',
    summary: 'Show the officers of an organization, verified from its first list on',
    args: ['[org]'],
    result: ['org', 'version', 'officers', 'quorum', 'since'],
    examples: ['svc org officers', `svc org officers ${DID}`],
    run: async (context, given) => (await import('./officers.ts')).showOfficers(context, given),
  },
  {
    path: 'org bind',
    summary: 'Bind a member: first without, then with what the member has accepted',
    args: [MEMBER],
    options: [
      ['--provider <name>', 'who lets the member sign in, such as login.example.com'],
      ['--subject <name>', 'what the member is called there; only its keyed hash is sent'],
      ['--role <role>', 'guest, member, manager or admin (default: member)'],
      ['--permission <names...>', 'what the member may do for the organization'],
      ['--expires <date>', 'when it ends, such as 2027-12-31'],
      ['--accepted <file>', 'what svc org accept wrote; terms that you leave out stay as they are'],
      ['--out <file>', 'where the invitation is written (default: invitation.json)'],
    ],
    result: [...APPENDED, 'status', 'invitation'],
    examples: [
      `svc org bind ${DID} --provider login.example.com --subject ann@example.com`,
      `svc org bind ${DID} --accepted invitation.json.accepted.json`,
    ],
    run: async (context, given) => (await import('./members.ts')).bind(context, given),
  },
  {
    path: 'org suspend',
    summary: 'Suspend a member until org resume',
    args: [MEMBER],
    result: APPENDED,
    examples: [`svc org suspend ${DID}`],
    run: async (context, given) => (await import('./members.ts')).change(context, given, 'suspend'),
  },
  {
    path: 'org resume',
    summary: 'End a suspension',
    args: [MEMBER],
    result: APPENDED,
    examples: [`svc org resume ${DID}`],
    run: async (context, given) => (await import('./members.ts')).change(context, given, 'resume'),
  },
  {
    path: 'org revoke',
    summary: 'End a membership',
    args: [MEMBER],
    result: APPENDED,
    examples: [`svc org revoke ${DID} --yes`],
    run: async (context, given) => (await import('./members.ts')).change(context, given, 'revoke'),
  },
  {
    path: 'org members',
    summary: 'List the members, computed from the signed events; for the organization and its officers',
    args: ['[org]'],
    result: ['org', 'sequence', 'members'],
    examples: ['svc org members', `svc org members ${DID} --json`],
    run: async (context, given) => (await import('./members.ts')).members(context, given),
  },
  {
    path: 'org check',
    summary: 'Ask whether somebody is a member now; ends with 3 if not',
    args: ['<org>', MEMBER],
    result: 'OrgVerify of did',
    examples: [`svc org check ${DID} ${DID}`],
    run: async (context, given) => (await import('./members.ts')).check(context, given),
  },
]
