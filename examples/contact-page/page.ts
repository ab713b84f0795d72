// The script of the page: says whether the author signed its text, and offers the contact form if so. See README.md.
import { Client } from '@svc/client'
import { defineContactForm } from '@svc/client/contact-form'
import { VerificationError, type VerificationReason, verifyMessage } from '@svc/client/verify'
import { signedText } from './signed-text.ts'

type Verdict =
  | { readonly kind: 'verified'; readonly signedAt: Date }
  | { readonly kind: 'refuted'; readonly reason: string }
  /** Nothing can be said, because something did not answer. */
  | { readonly kind: 'unknown'; readonly reason: string }

const DIFFERS = 'This is not the text that the author signed for this address.'
const REASONS: Partial<Record<VerificationReason, string>> = {
  malformed: 'Its signature is missing or damaged.',
  mismatch: DIFFERS,
  wrong_identity: 'Somebody else signed it.',
  wrong_key: 'It was signed with a key that the author does not use now.',
  invalid_signature: 'Its signature is not valid.',
}

const main = part('main')
const verdict = part('#verdict')
const { core = '', author = '', asset = '', siteKey = '' } = main.dataset

verdict.textContent = 'Checking who wrote this …'
show(await judge())

async function judge(): Promise<Verdict> {
  try {
    const client = await Client.connect({ core })
    const { didDocument } = await client.did.resolve(author)
    if (!didDocument) return { kind: 'refuted', reason: 'The author’s identity does not exist, or its owner ended it.' }
    const content = shownText(part('article'))
    if (content === null) return { kind: 'refuted', reason: DIFFERS }
    // Proved from the first key, whose hash is in the DID. What an earlier one signed does not count.
    const keys = await client.keyHistory.of(author)
    const { statement } = await verifyMessage(await readSigned(), {
      did: author,
      keys,
      audience: location.origin + location.pathname,
      realms: client.realms,
      content,
    })
    return { kind: 'verified', signedAt: new Date(statement.issuedAt) }
  } catch (error) {
    if (error instanceof VerificationError)
      return { kind: 'refuted', reason: REASONS[error.reason] ?? `${error.message}.` }
    return { kind: 'unknown', reason: error instanceof Error ? error.message : String(error) }
  }
}

/** The published signature; null without one that can be read. */
async function readSigned(): Promise<unknown> {
  const response = await fetch('signed.json', { cache: 'no-store' })
  const signed: unknown = response.ok ? await response.json().catch(() => null) : null
  return signed
}

/** What a reader sees of the article; null if it has more than blocks of plain text, which could say something else. */
function shownText(article: Element): string | null {
  const blocks = [...article.childNodes].filter((node) => node.textContent?.trim() !== '' || node instanceof Element)
  const isPlain = blocks.every((node) => node instanceof Element && node.attributes.length + node.children.length === 0)
  return isPlain ? signedText(blocks.map(({ textContent }) => textContent ?? '')) : null
}

function show(judged: Verdict): void {
  verdict.className = judged.kind
  switch (judged.kind) {
    case 'verified': {
      const date = judged.signedAt.toLocaleDateString('en', { dateStyle: 'long' })
      say('Verified author', `${author} signed exactly this text, for this address, on ${date}.`)
      offerForm()
      break
    }
    case 'refuted':
      say('Not verified', `${judged.reason} Do not rely on it. The contact form is off.`)
      break
    case 'unknown':
      say('Not checked', `${judged.reason}. Load the page again later. The contact form is off.`)
      break
  }
}

function say(title: string, text: string): void {
  const strong = document.createElement('strong')
  strong.textContent = title
  verdict.replaceChildren(strong, ` ${text}`)
}

/** The form encrypts to the key of the author who was verified, and to no other. */
function offerForm(): void {
  defineContactForm()
  const form = document.createElement('svc-contact-form')
  for (const [name, value] of Object.entries({ core, asset, owner: author, 'site-key': siteKey }))
    form.setAttribute(name, value)
  main.append(form)
}

function part(selector: string): HTMLElement {
  const found = document.querySelector<HTMLElement>(selector)
  if (!found) throw new Error(`The page has no ${selector}`)
  return found
}
