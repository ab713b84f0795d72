import type * as z from 'zod'
import {
  type NoteIndex,
  type NoteVersion,
  type NoteVersions,
  noteAnswerSchema,
  noteIndexSchema,
  noteVersionSchema,
  noteVersionsSchema,
  type VersionSummary,
} from '#protocol/notes/api'
import type { Transport } from '../transport/transport.ts'
import { unverified } from '../verification/verification-error.ts'
import { pathOf } from './vault.ts'

/** Reads a vault as the service shows it: what was asked for, not yet verified. */
export class NoteReader {
  readonly #transport: Transport
  readonly #url: () => string

  constructor(transport: Transport, url: () => string) {
    this.#transport = transport
    this.#url = url
  }

  index(query: { cursor?: string; limit?: number }): Promise<NoteIndex> {
    return this.#get(pathOf('', query), noteIndexSchema)
  }

  async versions(noteId: string, first: number): Promise<readonly VersionSummary[]> {
    const versions: VersionSummary[] = []
    for (let from: number | null = first; from !== null; ) {
      const path: string = pathOf(`/${noteId}/versions`, { from, limit: 500 })
      const page: NoteVersions = await this.#get(path, noteVersionsSchema)
      versions.push(...page.versions)
      if (page.next !== null && page.next <= from) throw unverified('note', 'repeated', 'The history does not advance')
      from = page.next
    }
    return versions
  }

  async read(noteId: string, version?: number): Promise<NoteVersion> {
    const stored =
      version === undefined
        ? await this.#get(`/${noteId}`, noteAnswerSchema)
        : await this.#get(`/${noteId}/versions/${version}`, noteVersionSchema)
    const isAsked = stored.noteId === noteId && (version === undefined || stored.version === version)
    if (!isAsked) throw unverified('note', 'different_answer', 'Core answered for a different note')
    return stored
  }

  #get<S extends z.ZodType>(path: string, schema: S): Promise<z.output<S>> {
    return this.#transport.data({ method: 'GET', url: this.#url() + path, audience: 'notes' }, schema)
  }
}
