/**
 * What holds for each kind of statement: who signs it, what it is about, who verifies it, why a copy of it does nothing,
 * and when it stops being accepted. The page on statements has the table that is generated from this and the schemas.
 *
 * @module
 */

import { pure } from '../base/pure.ts'
import type { StatementType } from '../base/statement.ts'
import { IDENTITY_RULES } from './rules/identities.ts'
import { OPERATOR_RULES } from './rules/operators.ts'
import { ORGANIZATION_RULES } from './rules/organizations.ts'
import { RECORD_RULES } from './rules/records.ts'
import type { StatementRule } from './rules/rule.ts'
import { SERVICE_RULES } from './rules/services.ts'

/** Of every kind; without one of them it does not compile. */
export const STATEMENT_RULES: Readonly<Record<StatementType, StatementRule>> = /* @__PURE__ */ pure(() => ({
  ...IDENTITY_RULES,
  ...ORGANIZATION_RULES,
  ...RECORD_RULES,
  ...OPERATOR_RULES,
  ...SERVICE_RULES,
}))
