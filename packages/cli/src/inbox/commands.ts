import type { CommandSpec } from '../command.ts'

export const INBOX_COMMANDS: readonly CommandSpec[] = [
  {
    path: 'inbox send',
    summary: 'Encrypt a message to the owner of an asset, and prove your mail address with a code',
    args: ['<asset>'],
    options: [
      ['--from <email>', 'your address, which gets the code'],
      ['--name <name>', 'your name'],
      ['--subject <subject>', 'what it is about'],
      ['--file <file>', 'the message; - is standard input'],
      ['--owner <did>', 'who must own the asset; without it, the service says who does'],
      ['--challenge <token>', 'the token of the human check, from a page of the deployment'],
      ['--out <file>', 'where the message waits for its code (default: message.pending.json)'],
    ],
    result: ['owner', 'ownerIs', 'pending', 'requestId', 'deliveredAt'],
    examples: [
      'svc inbox send ASSET --from me@example.org --name Grace --subject Photo --file message.txt --challenge TOKEN',
    ],
    page: '/developer/receive-messages',
    run: async (context, given) => (await import('./send.ts')).send(context, given),
  },
  {
    path: 'inbox deliver',
    summary: 'Deliver a message that waits, with the code from the mail',
    args: ['<pending>', '<code>'],
    result: ['owner', 'ownerIs', 'pending', 'requestId', 'deliveredAt'],
    examples: ['svc inbox deliver message.pending.json 123456'],
    run: async (context, given) => (await import('./send.ts')).deliver(context, given),
  },
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
    examples: ['svc inbox read MESSAGE'],
    run: async (context, given) => (await import('./inbox.ts')).readMessage(context, given),
  },
  {
    path: 'inbox delete',
    summary: 'Delete a message for good',
    args: ['<message>'],
    result: ['msgId'],
    examples: ['svc inbox delete MESSAGE --yes'],
    run: async (context, given) => (await import('./inbox.ts')).deleteMessage(context, given),
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
