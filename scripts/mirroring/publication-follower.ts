import type { Realms } from '@svc/protocol/base/realm'
import { comparePublications, type PublicationsPage, verifyPublication } from '@svc/protocol/ledger/anchor-publications'
import type { SignedPublication } from '@svc/protocol/ledger/anchors'
import { Contradiction } from './contradiction.ts'
import type { MirrorStore } from './mirror-store.ts'

/** The keys, base64url, that may have signed a statement of a time. */
export type KeysAt = (issuedAt: number) => readonly string[]

/** Asks for the page after a cursor. */
export type ReadPublications = (after: string | null) => Promise<PublicationsPage>

/**
 * Keeps the signed reports of the publisher. One that no listed key signed is left out, and proves
 * nothing against the service.
 */
export class PublicationFollower {
  readonly #store: MirrorStore
  readonly #read: ReadPublications
  readonly #keysAt: KeysAt
  readonly #realms: Realms

  constructor(store: MirrorStore, read: ReadPublications, trust: { readonly keysAt: KeysAt; readonly realms: Realms }) {
    this.#store = store
    this.#read = read
    this.#keysAt = trust.keysAt
    this.#realms = trust.realms
  }

  async follow(isStopping: () => boolean): Promise<void> {
    while (!isStopping()) {
      const page = await this.#read(this.#store.fact('publications next') as string | null)
      const signed = await this.#signed(page.publications)
      this.#store.transact(() => {
        for (const { statement, signatureB64u } of signed)
          this.#store.run(
            'INSERT INTO publications (leaf, nonce, publication) VALUES (?, ?, ?)',
            statement.leaf,
            statement.nonce,
            JSON.stringify({ statement, signatureB64u }),
          )
        this.#store.setFact('publications last', page.publications.at(-1) ?? this.#store.fact('publications last'))
        this.#store.setFact('publications next', page.next)
      })
      if (!page.isFull || page.publications.length === 0) return
    }
  }

  /** Those that a listed key signed. Their order follows from what was signed, so no page may go back in it. */
  async #signed(publications: readonly SignedPublication[]): Promise<SignedPublication[]> {
    let last = this.#store.fact('publications last') as SignedPublication | null
    const signed: SignedPublication[] = []
    for (const publication of publications) {
      if (last && comparePublications(last, publication) >= 0)
        throw new Contradiction('out_of_order', { known: last, shown: publication })
      last = publication
      const keys = this.#keysAt(publication.statement.issuedAt)
      if (await verifyPublication(publication, keys, this.#realms)) signed.push(publication)
    }
    return signed
  }
}
