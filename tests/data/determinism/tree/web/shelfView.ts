import { formatDueDate } from "./größe";

export interface ShelfEntry {
  number: number;
  title: string;
  borrower?: string;
  due?: Date;
}

/** Renders the shelf as rows of a table; a book that is away shows when it comes back. */
export function renderShelf(entries: ShelfEntry[]): string {
  return entries
    .map((entry) => `<tr><td>${entry.title}</td><td>${entry.due ? formatDueDate(entry.due) : "here"}</td></tr>`)
    .join("\n");
}

export const parseHTTPResponse = async (response: Response): Promise<ShelfEntry[]> => {
  if (!response.ok) throw new Error(`the shelf answered ${response.status}`);
  return (await response.json()) as ShelfEntry[];
};
