import type { CommandSpec } from '../command.ts'
import type { Group } from '../group.ts'

const NOTES: readonly CommandSpec[] = [
  {
    path: 'note write',
    summary: 'Encrypt and write a note, or its next version',
    options: [
      ['--file <file>', 'the text; - is standard input'],
      ['--title <title>', 'its title'],
      ['--tag <tags...>', 'its tags'],
      ['--over <note>', 'the note that this is the next version of'],
    ],
    result: ['noteId', 'version', 'recordHash', 'isConcurrent'],
    examples: ['svc note write --title Omelette --file recipe.txt', 'svc note write --over NOTE --file recipe.txt'],
    page: '/developer/notes',
    run: async (context, given) => (await import('./notes.ts')).writeNote(context, given),
  },
  {
    path: 'note list',
    summary: 'List the notes',
    result: ['notes'],
    examples: ['svc note list'],
    run: async (context) => (await import('./notes.ts')).listNotes(context),
  },
  {
    path: 'note read',
    summary: 'Decrypt and show a note',
    args: ['<note>'],
    result: ['noteId', 'version', 'title', 'body', 'tags', 'attachments', 'acceptedAt'],
    examples: ['svc note read "$(cat note-id.txt)"'],
    run: async (context, given) => (await import('./notes.ts')).readNote(context, given),
  },
]

const INBOX: readonly CommandSpec[] = [
  {
    path: 'inbox list',
    summary: 'List the messages',
    result: ['messages'],
    examples: ['svc inbox list'],
    page: '/developer/inbox',
    run: async (context) => (await import('./inbox.ts')).listMessages(context),
  },
  {
    path: 'inbox read',
    summary: 'Decrypt a message, and mark it as read',
    args: ['<message>'],
    result: ['name', 'email', 'subject', 'message', 'assetId', 'sentAt'],
    examples: ['svc inbox read "$(cat message-id.txt)"'],
    run: async (context, given) => (await import('./inbox.ts')).readMessage(context, given),
  },
  {
    path: 'inbox export',
    summary: 'Write all messages, encrypted as they are',
    options: [['--out <file>', 'default: standard output']],
    result: ['messages', 'file', 'content'],
    examples: ['svc inbox export --out inbox.json'],
    run: async (context, given) => (await import('./inbox.ts')).exportInbox(context, given),
  },
]

const CONSENT: readonly CommandSpec[] = [
  {
    path: 'consent set',
    summary: 'Declare what machines may do with content',
    args: ['<identifier>'],
    options: [
      ['--training <choice>', 'training of AI models: allow or disallow'],
      ['--search <choice>', 'search: allow or disallow'],
    ],
    result: 'ConsentRecord',
    examples: ['svc consent set https://photos.example/1.jpg --training disallow'],
    page: '/developer/consent',
    run: async (context, given) => (await import('./consent.ts')).setConsent(context, given),
  },
  {
    path: 'consent get',
    summary: 'Show what is declared, verified',
    args: ['<identifier>'],
    result: 'ConsentRecord or ConsentMiss',
    examples: ['svc consent get https://photos.example/1.jpg'],
    run: async (context, given) => (await import('./consent.ts')).getConsent(context, given),
  },
  {
    path: 'consent history',
    summary: 'Show every declaration, with its signature verified',
    args: ['<identifier>'],
    result: ['creatorDid', 'acts', 'claims'],
    examples: ['svc consent history https://photos.example/1.jpg'],
    run: async (context, given) => (await import('./consent.ts')).consentHistory(context, given),
  },
]

const CAPSULES: readonly CommandSpec[] = [
  {
    path: 'capsule sign',
    summary: 'Sign and register a file, and write the proof beside it',
    args: ['<file>'],
    options: [
      ['--mime <type>', 'its media type, such as image/jpeg'],
      ['--out <file>', 'where the proof is written (default: the file with .proof.json)'],
    ],
    result: ['assetId', 'position', 'duplicate', 'proof'],
    examples: ['svc capsule sign photo.jpg --mime image/jpeg'],
    page: '/developer/prove-what-you-made',
    run: async (context, given) => (await import('./capsules.ts')).signCapsule(context, given),
  },
  {
    path: 'capsule open',
    summary: 'Show the registration of a file',
    args: ['<asset>'],
    result: 'CapsuleRecord',
    examples: ['svc capsule open asset:sha3-384:0f…'],
    run: async (context, given) => (await import('./capsules.ts')).openCapsule(context, given),
  },
]

const TEXTS: readonly CommandSpec[] = [
  {
    path: 'text register',
    summary: 'Register the fingerprint of a text; the text stays here',
    args: ['<file>'],
    result: 'TextRegistered',
    examples: ['svc text register essay.txt'],
    page: '/developer/search',
    run: async (context, given) => (await import('./capsules.ts')).registerText(context, given),
  },
  {
    path: 'text search',
    summary: 'Find registered texts that share passages with this one',
    args: ['<file>'],
    result: ['matches'],
    examples: ['svc text search essay.txt'],
    run: async (context, given) => (await import('./capsules.ts')).searchText(context, given),
  },
]

const PAYMENTS: readonly CommandSpec[] = [
  {
    path: 'pay offer',
    summary: 'List the offers',
    options: [['--country <code>', 'the prices of a country, such as DE']],
    result: 'OfferList',
    examples: ['svc pay offer', 'svc pay offer --country DE'],
    page: '/developer/pay',
    run: async (context, given) => (await import('./payments.ts')).offers(context, given),
  },
  {
    path: 'pay intent',
    summary: 'Start a payment, and print the address to pay at',
    args: ['<sku>'],
    options: [['--key <key>', 'the same key starts the same payment']],
    result: 'Intent',
    examples: ['svc pay intent pro-monthly'],
    run: async (context, given) => (await import('./payments.ts')).intent(context, given),
  },
]

const DIRECTORY: readonly CommandSpec[] = [
  {
    path: 'directory lookup',
    summary: 'List what an account has published, verified',
    args: ['<did>'],
    result: ['accountDid', 'seq', 'head', 'devices'],
    examples: ['svc directory lookup did:svc:RQ7Xn0nE0m1yqYb9h3JvWc2dT5KfLgAz'],
    page: '/developer/keys',
    run: async (context, given) => (await import('./directory.ts')).lookup(context, given),
  },
  {
    path: 'directory audit',
    summary: 'Follow the log of the directory from the last visit, and recompute it',
    options: [
      ['--state <file>', 'what the last visit has seen (default: with what svc keeps)'],
      ['--log-only', 'do not recompute the maps of accounts'],
    ],
    result: ['log', 'size', 'root', 'updates'],
    examples: ['svc directory audit', 'svc directory audit --log-only --state audit.json'],
    run: async (context, given) => (await import('./directory.ts')).audit(context, given),
  },
]

/** Commands of one word. */
export const RECORD_COMMANDS: readonly CommandSpec[] = [
  {
    path: 'quota',
    summary: 'Show what this identity has used, and what is left',
    result: ['meters', 'stored'],
    examples: ['svc quota', 'svc quota --json'],
    page: '/developer/limits',
    run: async (context) => (await import('./payments.ts')).quota(context),
  },
  {
    path: 'request',
    summary: 'Send one signed request to a service of the deployment',
    args: ['<method>', '<url>'],
    options: [
      ['--aud <audience>', 'sign it for this audience'],
      ['-d, --data <file>', 'a file of JSON to send; - is standard input'],
    ],
    result: ['status', 'body'],
    examples: ['svc request GET /api/capabilities', 'svc request GET /api/chain/head --aud chain'],
    page: '/developer/assertions',
    run: async (context, given) => (await import('./request.ts')).request(context, given),
  },
]

export const RECORD_GROUPS: readonly Group[] = [
  { name: 'note', summary: 'Encrypted notes', commands: NOTES },
  { name: 'inbox', summary: 'Messages to this identity', commands: INBOX },
  { name: 'consent', summary: 'What machines may do with content', commands: CONSENT },
  { name: 'capsule', summary: 'Registrations of files', commands: CAPSULES },
  { name: 'text', summary: 'Registrations of texts', commands: TEXTS },
  { name: 'pay', summary: 'Offers and payments', commands: PAYMENTS },
  { name: 'directory', summary: 'The key directory and its log', commands: DIRECTORY },
]
