import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { announcedIn, LocalMail, lineOf } from './mail.ts'

const SIX = 'Your code is 123456\n\nEnter it on the page.\n'
const SIXTEEN = 'Your activation code is 7Q3K-9ZXN-0V4T-2B8D\n\nEnter it on this page.\n'
const WORDS = 'You asked for an invitation.\n'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-mail-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** As the runtime does for a mail. */
function written(name: string, { to, subject, text }: { to: string; subject: string; text: string }): string {
  const path = join(folder, 'email/session', name)
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, text)
  const from = 'From: "Svc" <no-reply@localhost.example>'
  return `\u001b[34msend_email binding called with MessageBuilder:\u001b[39m\n${from}\nTo: ${to}\nSubject: ${subject}\n\nText: ${path}`
}

describe('a mail of the local platform', () => {
  it.each([
    ['a one-time code', SIX, 'mail to ada@example.org: your code is 123456'],
    ['an activation code', SIXTEEN, 'mail to ada@example.org: your code is 7Q3K-9ZXN-0V4T-2B8D'],
    ['no code', WORDS, 'mail to ada@example.org: Your request'],
  ])('with %s is told with its address', (_, text, line) => {
    const mail = new LocalMail(folder).take(
      written('one.txt', { to: 'ada@example.org', subject: 'Your request', text }),
    )
    expect(mail).toEqual({ to: 'ada@example.org', subject: 'Your request', text })
    expect(lineOf(mail!)).toBe(line)
  })

  it('has its address and subject in its file, and leaves no other', () => {
    const mail = new LocalMail(folder)
    mail.take(written('one.txt', { to: 'ada@example.org', subject: 'Your invitation', text: SIXTEEN }))
    const session = join(folder, 'email/session')
    expect(readdirSync(session)).toEqual(['one.txt'])
    const kept = readFileSync(join(session, 'one.txt'), 'utf8')
    expect(kept).toBe(`To: ada@example.org\nSubject: Your invitation\n\n${SIXTEEN}`)
  })

  it('is found by its address', async () => {
    const mail = new LocalMail(folder)
    mail.take(written('one.txt', { to: 'ada@example.org', subject: 'Your invitation', text: SIXTEEN }))
    mail.take(written('two.txt', { to: 'grace@example.org', subject: 'Your code', text: SIX }))
    expect(await mail.codeIn('To: ada@example.org\n')).toBe('7Q3K-9ZXN-0V4T-2B8D')
    expect(await mail.codeIn('To: grace@example.org\n')).toBe('123456')
    expect([mail.countOf('To: ada@example.org\n'), mail.countOf('To: nobody@example.org\n')]).toEqual([1, 0])
  })

  it.each(['', 'svc-core: 200', 'send_email binding called with the following message:\nEmail: /x.eml'])(
    'is nothing else that the runtime says: %j',
    (message) => {
      expect(announcedIn(message)).toBe(null)
      expect(new LocalMail(folder).take(message)).toBe(null)
    },
  )
})
