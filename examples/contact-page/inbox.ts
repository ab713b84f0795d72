import type { Client } from '@svc/client'

/** Control characters could act on a terminal, and marks of direction show a text as another one. */
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** Every message, newest first, as lines to print. Each counts as read then. */
export async function* readMessages(client: Client): AsyncGenerator<string> {
  for await (const message of client.inbox.all()) {
    const { msgId, receivedAt, readAt } = message
    const received = `${new Date(receivedAt).toISOString().slice(0, 16).replace('T', ' ')} UTC`
    const opened = await client.inbox.safeOpen(message)
    if (opened.ok) {
      const { name, email, subject, message: text } = opened.value
      const head = `${received}${readAt === null ? ', new' : ''}, from ${oneLine(name)} <${oneLine(email)}>`
      yield `${head}\nSubject: ${oneLine(subject)}\n${indented(text)}\n`
      if (readAt === null) await client.inbox.read(msgId)
    } else yield `${received}: cannot be opened. ${opened.error.message}\n`
  }
}

const oneLine = (text: string) => text.replaceAll(UNSAFE, '\uFFFD')

/** So that no line of a message looks like the head of another one. */
const indented = (text: string) =>
  text
    .split(/\r?\n/)
    .map((line) => `  ${oneLine(line)}`.trimEnd())
    .join('\n')
