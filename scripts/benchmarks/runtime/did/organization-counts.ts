/** What one organization and its members store and write. */
export interface OrganizationCounts {
  /** Rows written by so many events: in the object of the organization and in those of its members. */
  readonly rowsWritten: number
  /** By which the organization grew with them. */
  readonly bytes: number
}
