import type { Realms } from '@svc/protocol/base/realm'
import { verifyWithheld, withheldOfLine } from '@svc/protocol/ledger/withheld'
import type { MirrorStore } from './mirror-store.ts'
import type { KeysAt } from './publication-follower.ts'

/** A body that the service did not show although no act withholds it. */
export interface MissingBody {
  readonly log: string
  readonly index: number
}

/** Distinguishes withheld bodies from missing ones. */
export class WithheldFollower {
  readonly #store: MirrorStore
  readonly #keysAt: KeysAt
  readonly #realms: Realms

  constructor(store: MirrorStore, trust: { readonly keysAt: KeysAt; readonly realms: Realms }) {
    this.#store = store
    this.#keysAt = trust.keysAt
    this.#realms = trust.realms
  }

  /** Applies the operator's acts in verified logs: deletes the bodies that they withhold. Returns the missing ones. */
  async follow(): Promise<readonly MissingBody[]> {
    const acts = this.#store.all(
      `SELECT log_no, idx, line FROM leaves JOIN logs USING (log_no)
       WHERE item >= 'withheld-' AND item < 'withheld.' AND idx < size
         AND substr(item, 10) NOT IN (SELECT leaf FROM withheld)`,
    )
    for (const row of acts) {
      const act = withheldOfLine(String(row['line']))
      if (!act || !(await verifyWithheld(act, this.#keysAt(act.statement.issuedAt), this.#realms))) continue
      const { leaf, ground, day } = act.statement
      this.#store.transact(() => {
        this.#store.run(
          `INSERT INTO withheld (leaf, log_no, idx, anchor_id, ground, day, act_log_no, act_idx)
           SELECT ?1, l.log_no, l.idx, b.anchor_id, ?2, ?3, ?4, ?5 FROM leaves l
           LEFT JOIN bodies b ON b.log_no = l.log_no AND b.idx = l.idx WHERE l.item = ?1`,
          leaf,
          ground,
          day,
          Number(row['log_no']),
          Number(row['idx']),
        )
        const ofLeaf = '(SELECT log_no, idx FROM withheld WHERE leaf = ?)'
        this.#store.run(`DELETE FROM bodies WHERE (log_no, idx) IN ${ofLeaf}`, leaf)
        this.#store.run(`DELETE FROM missing WHERE (log_no, idx) IN ${ofLeaf}`, leaf)
      })
    }
    return this.#store
      .all('SELECT log, idx FROM missing JOIN logs USING (log_no) ORDER BY log_no, idx')
      .map((row) => ({ log: String(row['log']), index: Number(row['idx']) }))
  }
}
