/** Wie breit eine Spalte ist: die Größe des längsten Titels. */
export function spaltenGröße(titel: string[]): number {
  return Math.max(0, ...titel.map((text) => [...text].length));
}

export function formatDueDate(due: Date): string {
  return due.toISOString().slice(0, 10);
}
