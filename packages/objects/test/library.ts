import { type Rehearse, type Schema, VersionedObject } from '../src/index.ts'
import { RECORD_FACTS, Recorder, type RecordPlan } from '../src/records/index.ts'

export const LIBRARY_SEED = '2c'.repeat(32)
/** By version. Objects read it as they start; tests change it. */
export const LIBRARY_SEEDS = new Map([[1, LIBRARY_SEED]])
export const LIBRARY_PREFIX = 'libraries/'

const LIBRARY: Schema = {
  name: 'library',
  steps: [
    {
      name: 'books, shelves and notes',
      sql: `CREATE TABLE books (
              shelf TEXT NOT NULL, place INTEGER NOT NULL, title TEXT NOT NULL UNIQUE, PRIMARY KEY (shelf, place)
            ) STRICT, WITHOUT ROWID;
            CREATE TABLE shelves (name TEXT PRIMARY KEY, books INTEGER NOT NULL) STRICT;
            CREATE TABLE notes (seq INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
            INSERT INTO shelves (name, books) VALUES ('a', 0);`,
    },
  ],
  facts: RECORD_FACTS,
}
const PLAN: RecordPlan = {
  appended: { notes: { key: 'seq' } },
  keyed: ['books'],
  erased: ['books', 'notes'],
  lasting: ['shelves'],
  // A shelf stands for an owner.
  owners: { books: 'shelf' },
}

interface Bindings {
  readonly RECORDS: R2Bucket
  readonly ERASURE_KEYS: R2Bucket
}

/** An object with a table of each kind that a record tells apart. */
export class LibraryObject extends VersionedObject<Bindings> {
  static override readonly schemas = [LIBRARY]
  readonly recorder: Recorder
  prove: ((rehearse: Rehearse) => Promise<void>) | null = null

  constructor(ctx: DurableObjectState, env: Bindings) {
    super(ctx, env)
    this.recorder = new Recorder(this.stored, {
      name: ctx.id.name ?? '',
      plan: PLAN,
      place: {
        bucket: env.RECORDS,
        seeds: LIBRARY_SEEDS,
        prefix: LIBRARY_PREFIX,
        erasureKeys: env.ERASURE_KEYS,
      },
      rules: { onRebuilt: () => {}, prove: () => this.prove },
    })
  }

  /** How many rows that wrote. */
  put(shelf: string, place: number, title: string): number {
    return this.stored.transact(() => {
      this.stored.create(LIBRARY)
      return this.stored.sql.exec(
        `INSERT INTO books (shelf, place, title) VALUES (?, ?, ?)
         ON CONFLICT (shelf, place) DO UPDATE SET title = excluded.title`,
        shelf,
        place,
        title,
      ).rowsWritten
    })
  }

  remove(shelf: string, place: number): void {
    this.stored.sql.exec('DELETE FROM books WHERE shelf = ? AND place = ?', shelf, place)
  }

  note(text: string): void {
    this.stored.sql.exec('INSERT INTO notes (text) VALUES (?)', text)
  }

  /** Only deletes. */
  prune(): void {
    this.stored.sql.exec('DELETE FROM notes')
  }

  end(isOver: boolean): Promise<boolean> {
    return this.recorder.end(() => isOver, Date.now())
  }

  override alarm(): void {
    this.stored.alarm.wentOff()
  }
}
