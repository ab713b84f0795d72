import type { CommandSpec } from '../command.ts'

const PASSWORD_FD = ['--password-fd <n>', 'read the password from an open file descriptor'] as const
const CHALLENGE = ['--challenge <token>', 'the token of the human check'] as const
const LABEL = ['--label <name>', 'names this machine in the list of devices'] as const
const NAME = '<name>'
const SIGNED_IN = ['outcome', 'accountId']

export const SIGN_IN_COMMANDS: readonly CommandSpec[] = [
  {
    path: 'signin register',
    summary: 'Make an account with a user name or a mail address, and sign in',
    args: [NAME],
    options: [CHALLENGE, PASSWORD_FD, LABEL],
    result: SIGNED_IN,
    examples: ['svc signin register ann --challenge TOKEN'],
    page: '/developer/auth',
    run: async (context, given) => (await import('./sign-in.ts')).register(context, given),
  },
  {
    path: 'signin confirm',
    summary: 'Confirm a mail address with the code from the mail, and sign in',
    args: ['<code>'],
    options: [PASSWORD_FD, LABEL],
    result: SIGNED_IN,
    examples: ['svc signin confirm 123456'],
    run: async (context, given) => (await import('./sign-in.ts')).confirm(context, given),
  },
  {
    path: 'signin login',
    summary: 'Sign in with the password, which the service never sees',
    args: [NAME],
    options: [CHALLENGE, PASSWORD_FD, LABEL],
    result: SIGNED_IN,
    examples: ['svc signin login ann'],
    page: '/developer/auth',
    run: async (context, given) => (await import('./sign-in.ts')).logIn(context, given),
  },
  {
    path: 'signin password',
    summary: 'Set another password for the account, which ends its sessions, and sign in',
    args: [NAME],
    options: [PASSWORD_FD, LABEL],
    result: SIGNED_IN,
    examples: ['svc signin password ann'],
    run: async (context, given) => (await import('./sign-in.ts')).changePassword(context, given),
  },
  {
    path: 'signin provider',
    summary: 'Begin with an identity provider: print the address to open in a browser',
    args: ['<google|microsoft>'],
    options: [['--return-to <url>', 'the page that the browser comes back to, which the deployment must allow']],
    result: ['url'],
    examples: ['svc signin provider google --return-to http://localhost:3000/welcome'],
    page: '/developer/add-sign-in',
    run: async (context, given) => (await import('./provider.ts')).begin(context, given),
  },
  {
    path: 'signin return',
    summary: 'Finish with the address that the browser came back to; then svc signin register',
    args: ['<url>'],
    result: ['provider', 'hasAccount', 'emailVerified'],
    examples: ["svc signin return 'http://localhost:3000/welcome#ticket=TICKET'"],
    run: async (context, given) => (await import('./provider.ts')).comeBack(context, given),
  },
  {
    path: 'signin show',
    summary: 'Show the session of this profile',
    result: 'SignInSession of auth',
    examples: ['svc signin show'],
    run: async (context) => (await import('./account.ts')).show(context),
  },
  {
    path: 'signin sessions',
    summary: 'List the sessions of the account, or end the others',
    options: [['--end-others', 'end all but this one']],
    result: ['sessions', 'ended'],
    examples: ['svc signin sessions', 'svc signin sessions --end-others'],
    run: async (context, given) => (await import('./account.ts')).sessions(context, given),
  },
  {
    path: 'signin devices',
    summary: 'List the devices that signed in with the password, or forget one or all',
    options: [
      ['--forget <device>', 'forget one'],
      ['--forget-all', 'forget all'],
    ],
    result: ['devices', 'forgotten'],
    examples: ['svc signin devices', 'svc signin devices --forget DEVICE', 'svc signin devices --forget-all'],
    run: async (context, given) => (await import('./account.ts')).devices(context, given),
  },
  {
    path: 'signin wrap',
    summary: 'Encrypt a file of at most 4 KiB under a key that only the password gives',
    args: [NAME, '<file>'],
    options: [PASSWORD_FD, ['--out <file>', 'default: the file with .wrapped.json']],
    result: ['file'],
    examples: ['svc signin wrap ann secret.txt'],
    run: async (context, given) => (await import('./secret.ts')).wrap(context, given),
  },
  {
    path: 'signin unwrap',
    summary: 'Decrypt what svc signin wrap has written',
    args: [NAME, '<file>'],
    options: [PASSWORD_FD, ['--out <file>', 'default: standard output']],
    result: ['bytes', 'file', 'contentB64u'],
    examples: ['svc signin unwrap ann secret.txt.wrapped.json'],
    run: async (context, given) => (await import('./secret.ts')).unwrap(context, given),
  },
  {
    path: 'signin logout',
    summary: 'End the session of this profile',
    result: ['signedOut'],
    examples: ['svc signin logout'],
    run: async (context) => (await import('./account.ts')).logOut(context),
  },
  {
    path: 'signin delete',
    summary: 'Delete the account; identities and their keys stay',
    result: ['deleted'],
    examples: ['svc signin delete --yes'],
    run: async (context) => (await import('./account.ts')).deleteAccount(context),
  },
]
