BEGIN TRANSACTION;
CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL);
INSERT INTO "alembic_version" VALUES('e43177bfe90b');
CREATE TABLE assignment (
	id VARCHAR(32) NOT NULL, 
	name VARCHAR(128) NOT NULL, 
	duedate DATETIME, 
	course_id VARCHAR(128) NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (name), 
	FOREIGN KEY(course_id) REFERENCES course (id)
);
INSERT INTO "assignment" VALUES('88a03635a8354d6e871cb2240d661cac','03_roofline','2026-01-31 22:59:00.000000','chip2cluster');
INSERT INTO "assignment" VALUES('221e826d6dc840ccaecb2ffe8fd87385','exam_quiz',NULL,'chip2cluster');
CREATE TABLE base_cell (
	id VARCHAR(32) NOT NULL, 
	name VARCHAR(128) NOT NULL, 
	notebook_id VARCHAR(32) NOT NULL, 
	type VARCHAR(50), 
	PRIMARY KEY (id), 
	UNIQUE (name, notebook_id, type), 
	FOREIGN KEY(notebook_id) REFERENCES notebook (id)
);
INSERT INTO "base_cell" VALUES('e68e4b9ad7254bdd9fed5198d88c91f4','shortest_time-check','6016df495a6e46479de1896855d53cd9','GradeCell');
INSERT INTO "base_cell" VALUES('70cc1167cd4b4fb0bb6443fc8710d97f','attention_intensity-check','6016df495a6e46479de1896855d53cd9','GradeCell');
INSERT INTO "base_cell" VALUES('e5dfd325c3d2425bbec39e1cea8c997a','largest_batch-check','6016df495a6e46479de1896855d53cd9','GradeCell');
INSERT INTO "base_cell" VALUES('0d760fb6fd4c44f2ba078926d734493f','tokens_per_second-check','6016df495a6e46479de1896855d53cd9','GradeCell');
INSERT INTO "base_cell" VALUES('e2b92569ca5a42c7acf68aaddfd970b3','efficiency-check','6016df495a6e46479de1896855d53cd9','GradeCell');
INSERT INTO "base_cell" VALUES('f9409148ad8145ad9f56c4929b39275a','own_rate-check','6016df495a6e46479de1896855d53cd9','GradeCell');
INSERT INTO "base_cell" VALUES('a0313e33996e45db97b1c8032251e281','rank_chips-check','6016df495a6e46479de1896855d53cd9','GradeCell');
INSERT INTO "base_cell" VALUES('0815a061e2ea4330afbb64f7cb7b5434','recommendation','6016df495a6e46479de1896855d53cd9','GradeCell');
INSERT INTO "base_cell" VALUES('b38a2fccc20b43c598de4961887e773e','second_answer','6016df495a6e46479de1896855d53cd9','GradeCell');
INSERT INTO "base_cell" VALUES('3c5f94dcb1314640a23399fffe01d5de','shortest_time','6016df495a6e46479de1896855d53cd9','SolutionCell');
INSERT INTO "base_cell" VALUES('6ab9d8e922994e638c906f6aa9f9b488','attention_intensity','6016df495a6e46479de1896855d53cd9','SolutionCell');
INSERT INTO "base_cell" VALUES('c6c400e0c6f145fbb1b83536451cc6c5','largest_batch','6016df495a6e46479de1896855d53cd9','SolutionCell');
INSERT INTO "base_cell" VALUES('a924634c1cfa4875acdd25c0695b70bc','tokens_per_second','6016df495a6e46479de1896855d53cd9','SolutionCell');
INSERT INTO "base_cell" VALUES('22429ea08e2b407c981a6c0c68b4e3db','efficiency','6016df495a6e46479de1896855d53cd9','SolutionCell');
INSERT INTO "base_cell" VALUES('ed28bef4858142ab9b72f9ca4e898573','own_rate','6016df495a6e46479de1896855d53cd9','SolutionCell');
INSERT INTO "base_cell" VALUES('079c2c9cef354661b28c28ef64f3e9f7','rank_chips','6016df495a6e46479de1896855d53cd9','SolutionCell');
INSERT INTO "base_cell" VALUES('645bf0f0ee1342f6b39307d777f26e96','recommendation','6016df495a6e46479de1896855d53cd9','SolutionCell');
INSERT INTO "base_cell" VALUES('b53158e688b24032975eb882bf02d687','second_answer','6016df495a6e46479de1896855d53cd9','SolutionCell');
INSERT INTO "base_cell" VALUES('018a76cf869446e5b563d36e24d153a1','graded-1','bd2c49ed34194749b31ca79384b18853','GradeCell');
INSERT INTO "base_cell" VALUES('cb3f13f77013405d9b2fcb604fafc7d9','graded-2','bd2c49ed34194749b31ca79384b18853','GradeCell');
INSERT INTO "base_cell" VALUES('887fdcf7507442db98af6479365be276','answer-1','bd2c49ed34194749b31ca79384b18853','SolutionCell');
INSERT INTO "base_cell" VALUES('4cf97247bb6c48d8ab12238a332ccc3c','answer-2','bd2c49ed34194749b31ca79384b18853','SolutionCell');
CREATE TABLE comment (
	id VARCHAR(32) NOT NULL, 
	notebook_id VARCHAR(32), 
	cell_id VARCHAR(32), 
	auto_comment TEXT, 
	manual_comment TEXT, 
	PRIMARY KEY (id), 
	UNIQUE (cell_id, notebook_id), 
	FOREIGN KEY(notebook_id) REFERENCES submitted_notebook (id), 
	FOREIGN KEY(cell_id) REFERENCES base_cell (id)
);
INSERT INTO "comment" VALUES('c044cfa001eb459ebea1619910019247','56788f0009a94953b353bed296a4a874','3c5f94dcb1314640a23399fffe01d5de',NULL,NULL);
INSERT INTO "comment" VALUES('8840b179cb444c52af1688579e378fa8','56788f0009a94953b353bed296a4a874','6ab9d8e922994e638c906f6aa9f9b488',NULL,NULL);
INSERT INTO "comment" VALUES('42598a7088114b93b4ff200dcf851378','56788f0009a94953b353bed296a4a874','c6c400e0c6f145fbb1b83536451cc6c5',NULL,NULL);
INSERT INTO "comment" VALUES('09538fb04eff48ccb1c1939fa6f1faca','56788f0009a94953b353bed296a4a874','a924634c1cfa4875acdd25c0695b70bc',NULL,NULL);
INSERT INTO "comment" VALUES('c79767a8899841218ae4da732f1833bf','56788f0009a94953b353bed296a4a874','22429ea08e2b407c981a6c0c68b4e3db',NULL,NULL);
INSERT INTO "comment" VALUES('655302b414f846ada6fbc81a45745908','56788f0009a94953b353bed296a4a874','ed28bef4858142ab9b72f9ca4e898573',NULL,NULL);
INSERT INTO "comment" VALUES('2fde657d86d14646952f5240190b3946','56788f0009a94953b353bed296a4a874','079c2c9cef354661b28c28ef64f3e9f7',NULL,NULL);
INSERT INTO "comment" VALUES('aad5b9946c6d44d5867a0bd205f3ecda','56788f0009a94953b353bed296a4a874','645bf0f0ee1342f6b39307d777f26e96',NULL,'Clear.');
INSERT INTO "comment" VALUES('6025c95404724040b10bbf7bf8b3a0dd','56788f0009a94953b353bed296a4a874','b53158e688b24032975eb882bf02d687',NULL,NULL);
INSERT INTO "comment" VALUES('74ed256c598e45799b8e31b3da8e80fb','184322da70804462a4f4869da4de11f3','3c5f94dcb1314640a23399fffe01d5de',NULL,NULL);
INSERT INTO "comment" VALUES('845019b8747e4c00825f8b60d264003f','184322da70804462a4f4869da4de11f3','6ab9d8e922994e638c906f6aa9f9b488',NULL,NULL);
INSERT INTO "comment" VALUES('bc1de3865b214164b2406e5148b2c112','184322da70804462a4f4869da4de11f3','c6c400e0c6f145fbb1b83536451cc6c5',NULL,NULL);
INSERT INTO "comment" VALUES('8bcdaf9051ae40cc92e5f87d2459e68f','184322da70804462a4f4869da4de11f3','a924634c1cfa4875acdd25c0695b70bc',NULL,NULL);
INSERT INTO "comment" VALUES('097d4d7c95a7415bb2f939310f01cc3b','184322da70804462a4f4869da4de11f3','22429ea08e2b407c981a6c0c68b4e3db','No response.',NULL);
INSERT INTO "comment" VALUES('2005813fba854ee399ce0b892415aace','184322da70804462a4f4869da4de11f3','ed28bef4858142ab9b72f9ca4e898573',NULL,NULL);
INSERT INTO "comment" VALUES('285a3f6292ff4c209ef2717082154b83','184322da70804462a4f4869da4de11f3','079c2c9cef354661b28c28ef64f3e9f7',NULL,NULL);
INSERT INTO "comment" VALUES('ed824988f8514145a26df52d8bc46f29','184322da70804462a4f4869da4de11f3','645bf0f0ee1342f6b39307d777f26e96',NULL,'Which numbers?');
INSERT INTO "comment" VALUES('42e79a69640a46c29435d59d448b9227','184322da70804462a4f4869da4de11f3','b53158e688b24032975eb882bf02d687',NULL,NULL);
INSERT INTO "comment" VALUES('a984471b03344a4885f3e8b19cd4b812','d78dcaae2d914223b8dab88f068c9100','3c5f94dcb1314640a23399fffe01d5de',NULL,NULL);
INSERT INTO "comment" VALUES('12c43cf7d4084e47a1f83f9a792ed9b0','d78dcaae2d914223b8dab88f068c9100','6ab9d8e922994e638c906f6aa9f9b488',NULL,NULL);
INSERT INTO "comment" VALUES('22a457e2cfff46ac9b1c9ac59c8d5df4','d78dcaae2d914223b8dab88f068c9100','c6c400e0c6f145fbb1b83536451cc6c5',NULL,NULL);
INSERT INTO "comment" VALUES('88fadf6e219e4dfe8ebffeb701494cca','d78dcaae2d914223b8dab88f068c9100','a924634c1cfa4875acdd25c0695b70bc',NULL,NULL);
INSERT INTO "comment" VALUES('f982c161fa15428798d866ba3b55a4fa','d78dcaae2d914223b8dab88f068c9100','22429ea08e2b407c981a6c0c68b4e3db',NULL,NULL);
INSERT INTO "comment" VALUES('34c820e57c0e4096a068e5988e4378d3','d78dcaae2d914223b8dab88f068c9100','ed28bef4858142ab9b72f9ca4e898573',NULL,NULL);
INSERT INTO "comment" VALUES('cfbe171479d84e99920a42504ad58916','d78dcaae2d914223b8dab88f068c9100','079c2c9cef354661b28c28ef64f3e9f7',NULL,NULL);
INSERT INTO "comment" VALUES('b394494a58e74c6da57f723157ac5d44','d78dcaae2d914223b8dab88f068c9100','645bf0f0ee1342f6b39307d777f26e96',NULL,NULL);
INSERT INTO "comment" VALUES('d6fc449929e943d9942064e8239a14ca','d78dcaae2d914223b8dab88f068c9100','b53158e688b24032975eb882bf02d687',NULL,NULL);
INSERT INTO "comment" VALUES('7f2ea21e9438498096925c627a6bd3cb','8c3b11bcdf99405e9b58e225ac1970dd','887fdcf7507442db98af6479365be276',NULL,NULL);
INSERT INTO "comment" VALUES('bf5262523c82445b9d6ea3fea045998f','8c3b11bcdf99405e9b58e225ac1970dd','4cf97247bb6c48d8ab12238a332ccc3c',NULL,NULL);
INSERT INTO "comment" VALUES('d8af644219954c47803992d8154c4e8a','83e6b142696c496d99492e4c4a90d21a','887fdcf7507442db98af6479365be276',NULL,NULL);
INSERT INTO "comment" VALUES('6ad44f17589e459486c13f27057b9ce2','83e6b142696c496d99492e4c4a90d21a','4cf97247bb6c48d8ab12238a332ccc3c','No response.',NULL);
CREATE TABLE course (
	id VARCHAR(128) NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (id)
);
INSERT INTO "course" VALUES('chip2cluster');
INSERT INTO "course" VALUES('default_course');
CREATE TABLE grade (
	id VARCHAR(32) NOT NULL, 
	notebook_id VARCHAR(32), 
	cell_id VARCHAR(32), 
	auto_score FLOAT, 
	manual_score FLOAT, 
	extra_credit FLOAT, 
	needs_manual_grade BOOLEAN NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (cell_id, notebook_id), 
	FOREIGN KEY(notebook_id) REFERENCES submitted_notebook (id), 
	FOREIGN KEY(cell_id) REFERENCES base_cell (id)
);
INSERT INTO "grade" VALUES('5e6d8da854024f6197b98c83e7b91f6d','56788f0009a94953b353bed296a4a874','e68e4b9ad7254bdd9fed5198d88c91f4',3.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('1ae2a46478db494fa170bf7f4a2ae17b','56788f0009a94953b353bed296a4a874','70cc1167cd4b4fb0bb6443fc8710d97f',4.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('4ebc355c8075434284507bf6ac57d026','56788f0009a94953b353bed296a4a874','e5dfd325c3d2425bbec39e1cea8c997a',3.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('5f74921e5762474791bc9aee9a635fc2','56788f0009a94953b353bed296a4a874','0d760fb6fd4c44f2ba078926d734493f',4.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('635d962215b348488cafe7277734a861','56788f0009a94953b353bed296a4a874','e2b92569ca5a42c7acf68aaddfd970b3',3.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('191ca6143136474ebb46f2700feacd3e','56788f0009a94953b353bed296a4a874','f9409148ad8145ad9f56c4929b39275a',3.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('da0593eb83fb48698577bcf3f15720c9','56788f0009a94953b353bed296a4a874','a0313e33996e45db97b1c8032251e281',5.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('b2732033b6a7479a858c2c4fd9d1580a','56788f0009a94953b353bed296a4a874','0815a061e2ea4330afbb64f7cb7b5434',NULL,5.0,NULL,0);
INSERT INTO "grade" VALUES('f20bffc5ebb04132b1dc3a4e8ae634c2','56788f0009a94953b353bed296a4a874','b38a2fccc20b43c598de4961887e773e',NULL,2.0,NULL,0);
INSERT INTO "grade" VALUES('df56b3e237594de3ac8dd4515211576c','184322da70804462a4f4869da4de11f3','e68e4b9ad7254bdd9fed5198d88c91f4',3.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('3ac2aea3a86049e1ad6c4187e10b18a8','184322da70804462a4f4869da4de11f3','70cc1167cd4b4fb0bb6443fc8710d97f',4.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('e162e960e773423c9ec7e12c0be93a95','184322da70804462a4f4869da4de11f3','e5dfd325c3d2425bbec39e1cea8c997a',0.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('68bd1ed9bdb340b59ab94306a21bee41','184322da70804462a4f4869da4de11f3','0d760fb6fd4c44f2ba078926d734493f',4.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('41f43cb031da40bda2a9ab7db93ce400','184322da70804462a4f4869da4de11f3','e2b92569ca5a42c7acf68aaddfd970b3',0.0,1.0,NULL,0);
INSERT INTO "grade" VALUES('46c31bbd86f24467895e27875e84f795','184322da70804462a4f4869da4de11f3','f9409148ad8145ad9f56c4929b39275a',3.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('d5afda29e7af48d48910b397d9586515','184322da70804462a4f4869da4de11f3','a0313e33996e45db97b1c8032251e281',5.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('a43bab56c75f4d6688a82bae3a900c16','184322da70804462a4f4869da4de11f3','0815a061e2ea4330afbb64f7cb7b5434',NULL,3.0,NULL,0);
INSERT INTO "grade" VALUES('f24d54fc6a5347f59a4df8d1fe3e4423','184322da70804462a4f4869da4de11f3','b38a2fccc20b43c598de4961887e773e',NULL,NULL,NULL,1);
INSERT INTO "grade" VALUES('450fb755af504513bb1f0e9676a3886e','d78dcaae2d914223b8dab88f068c9100','e68e4b9ad7254bdd9fed5198d88c91f4',3.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('4699f576674849de830cdadf476bdc69','d78dcaae2d914223b8dab88f068c9100','70cc1167cd4b4fb0bb6443fc8710d97f',4.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('6afa772d822040ce9f809823bc24e4c1','d78dcaae2d914223b8dab88f068c9100','e5dfd325c3d2425bbec39e1cea8c997a',3.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('f9d10c25e078417e8c336dfd46257030','d78dcaae2d914223b8dab88f068c9100','0d760fb6fd4c44f2ba078926d734493f',0.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('28a2d1d4976c4b3a87f18e75dda17568','d78dcaae2d914223b8dab88f068c9100','e2b92569ca5a42c7acf68aaddfd970b3',3.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('d6e6021863f24536a38d3668f6b6403e','d78dcaae2d914223b8dab88f068c9100','f9409148ad8145ad9f56c4929b39275a',3.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('b14a23defd5843e9a876f6131e239489','d78dcaae2d914223b8dab88f068c9100','a0313e33996e45db97b1c8032251e281',5.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('e36ebe26a5d941bb9afdc0bc399a2e1a','d78dcaae2d914223b8dab88f068c9100','0815a061e2ea4330afbb64f7cb7b5434',NULL,NULL,NULL,1);
INSERT INTO "grade" VALUES('7fe64cc5271046d8b85c2a841d24566e','d78dcaae2d914223b8dab88f068c9100','b38a2fccc20b43c598de4961887e773e',NULL,NULL,NULL,1);
INSERT INTO "grade" VALUES('ff67ced76750446f8b2f383472313c0a','8c3b11bcdf99405e9b58e225ac1970dd','018a76cf869446e5b563d36e24d153a1',3.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('c2d836f1917d43ce81721f8803c5df9b','8c3b11bcdf99405e9b58e225ac1970dd','cb3f13f77013405d9b2fcb604fafc7d9',3.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('1f1f8d1611ca435894b280c9b9eae310','83e6b142696c496d99492e4c4a90d21a','018a76cf869446e5b563d36e24d153a1',3.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('fb8c4b7832e8423b88fa9d61810d8a31','83e6b142696c496d99492e4c4a90d21a','cb3f13f77013405d9b2fcb604fafc7d9',0.0,NULL,NULL,0);
CREATE TABLE grade_cells (
	id VARCHAR(32) NOT NULL, 
	max_score FLOAT NOT NULL, 
	cell_type VARCHAR(8) NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(id) REFERENCES base_cell (id)
);
INSERT INTO "grade_cells" VALUES('e68e4b9ad7254bdd9fed5198d88c91f4',3.0,'code');
INSERT INTO "grade_cells" VALUES('70cc1167cd4b4fb0bb6443fc8710d97f',4.0,'code');
INSERT INTO "grade_cells" VALUES('e5dfd325c3d2425bbec39e1cea8c997a',3.0,'code');
INSERT INTO "grade_cells" VALUES('0d760fb6fd4c44f2ba078926d734493f',4.0,'code');
INSERT INTO "grade_cells" VALUES('e2b92569ca5a42c7acf68aaddfd970b3',3.0,'code');
INSERT INTO "grade_cells" VALUES('f9409148ad8145ad9f56c4929b39275a',3.0,'code');
INSERT INTO "grade_cells" VALUES('a0313e33996e45db97b1c8032251e281',5.0,'code');
INSERT INTO "grade_cells" VALUES('0815a061e2ea4330afbb64f7cb7b5434',6.0,'markdown');
INSERT INTO "grade_cells" VALUES('b38a2fccc20b43c598de4961887e773e',4.0,'markdown');
INSERT INTO "grade_cells" VALUES('018a76cf869446e5b563d36e24d153a1',3.0,'code');
INSERT INTO "grade_cells" VALUES('cb3f13f77013405d9b2fcb604fafc7d9',3.0,'code');
CREATE TABLE notebook (
	id VARCHAR(32) NOT NULL, 
	name VARCHAR(128) NOT NULL, 
	assignment_id VARCHAR(32), 
	kernelspec VARCHAR(1024), 
	PRIMARY KEY (id), 
	UNIQUE (name, assignment_id), 
	FOREIGN KEY(assignment_id) REFERENCES assignment (id)
);
INSERT INTO "notebook" VALUES('6016df495a6e46479de1896855d53cd9','lab_03_roofline','88a03635a8354d6e871cb2240d661cac','{"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}');
INSERT INTO "notebook" VALUES('bd2c49ed34194749b31ca79384b18853','exam_quiz','221e826d6dc840ccaecb2ffe8fd87385','{"display_name": "Python 3", "language": "python", "name": "python3"}');
CREATE TABLE solution_cells (
	id VARCHAR(32) NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(id) REFERENCES base_cell (id)
);
INSERT INTO "solution_cells" VALUES('3c5f94dcb1314640a23399fffe01d5de');
INSERT INTO "solution_cells" VALUES('6ab9d8e922994e638c906f6aa9f9b488');
INSERT INTO "solution_cells" VALUES('c6c400e0c6f145fbb1b83536451cc6c5');
INSERT INTO "solution_cells" VALUES('a924634c1cfa4875acdd25c0695b70bc');
INSERT INTO "solution_cells" VALUES('22429ea08e2b407c981a6c0c68b4e3db');
INSERT INTO "solution_cells" VALUES('ed28bef4858142ab9b72f9ca4e898573');
INSERT INTO "solution_cells" VALUES('079c2c9cef354661b28c28ef64f3e9f7');
INSERT INTO "solution_cells" VALUES('645bf0f0ee1342f6b39307d777f26e96');
INSERT INTO "solution_cells" VALUES('b53158e688b24032975eb882bf02d687');
INSERT INTO "solution_cells" VALUES('887fdcf7507442db98af6479365be276');
INSERT INTO "solution_cells" VALUES('4cf97247bb6c48d8ab12238a332ccc3c');
CREATE TABLE source_cell (
	id VARCHAR(32) NOT NULL, 
	name VARCHAR(128) NOT NULL, 
	cell_type VARCHAR(8) NOT NULL, 
	locked BOOLEAN NOT NULL, 
	source TEXT, 
	checksum VARCHAR(128), 
	notebook_id VARCHAR(32), 
	PRIMARY KEY (id), 
	UNIQUE (name, notebook_id), 
	FOREIGN KEY(notebook_id) REFERENCES notebook (id)
);
INSERT INTO "source_cell" VALUES('d005d5b8ce6d4b0c9356982e95050e91','title','markdown',1,'# Lab 3: decoding on real chips

*You need: chapter 3 · Time: about 65 minutes · 35 points, 25 of them marked by machine and 10 by hand*

You are about to buy accelerators that serve a language model to people who wait for each word. By the end of this lab you have a ranking of real chips for that job, made by functions of your own, and a page that defends your choice.

**How it works.** Write each function in its cell, then run the check below it. A check tells you which mistake you made and on which input; run it as often as you like. `hint("lab.roofline.shortest_time")` and its like give up to two hints; solutions of graded work are not shown. Grading asks the same functions about inputs that you have not seen: ordinary ones first, then edges for the last points.','7718b7875390891ce9b5afc179c38d5a','6016df495a6e46479de1896855d53cd9');
INSERT INTO "source_cell" VALUES('ea9303323bc94e17aa8a8d367c499e47','task-shortest-time','markdown',1,'## 1 · The shortest time

*difficulty ●○○○○ · importance ●●●●● · 5 minutes · 3 points*

An operation takes `flops` FLOP and moves `bytes_moved` bytes. Computing and moving overlap completely. Return the shortest time it can take, in seconds. Mind the two edges: a pure copy computes nothing, and some operations move nothing.','4b565bd35cebcad3858600b845b5c111','6016df495a6e46479de1896855d53cd9');
INSERT INTO "source_cell" VALUES('95cb20705ff6444f92565bc3a5f501d0','shortest_time','code',0,'def shortest_time(flops, bytes_moved, peak_flops, memory_bandwidth):
    raise NotImplementedError','0cac0d3cc16b4630ac01d8981fdf5376','6016df495a6e46479de1896855d53cd9');
INSERT INTO "source_cell" VALUES('edca39353b5f42a1964dd84a13b478de','shortest_time-check','code',1,'check("lab.roofline.shortest_time", shortest_time)
### BEGIN HIDDEN TESTS
from autograder.grading import award

award("lab.roofline.shortest_time", shortest_time, points=3)
### END HIDDEN TESTS','8fbfc6d58fe404b6f1e4d7dc718cdf77','6016df495a6e46479de1896855d53cd9');
INSERT INTO "source_cell" VALUES('5c33ebb0f7b34a00bcaf4cd9d8ef2ba2','task-attention-intensity','markdown',1,'## 2 · The intensity of decode attention

*difficulty ●●●○○ · importance ●●●●○ · 9 minutes · 4 points*

One new token attends to `context` cached tokens, in bf16. There are `query_heads` query heads and `kv_heads` key and value heads, each `head_dim` wide. Two products are computed for each query head: the scores, and the weighted sum of the values. Keys, values and queries are read once; the outputs, one for each query head, are written once. Return the arithmetic intensity in FLOP/byte.

Before you write: does a larger batch change it?','70595f7d509783beed2d38b5ebc42552','6016df495a6e46479de1896855d53cd9');
INSERT INTO "source_cell" VALUES('4607ac3ed5a5434aa074d514b0f45ec9','attention_intensity','code',0,'def attention_intensity(context, query_heads, kv_heads, head_dim):
    raise NotImplementedError','36447f7e14347122f1833861448ed97f','6016df495a6e46479de1896855d53cd9');
INSERT INTO "source_cell" VALUES('9a615e72d252487e943bf1079a0772f0','attention_intensity-check','code',1,'check("lab.roofline.attention_intensity", attention_intensity)
### BEGIN HIDDEN TESTS
from autograder.grading import award

award("lab.roofline.attention_intensity", attention_intensity, points=4)
### END HIDDEN TESTS','e412983d1dc35938ed2fa9def0686d53','6016df495a6e46479de1896855d53cd9');
INSERT INTO "source_cell" VALUES('15fa6fb0efe8454481f7bd1c30b2ae00','task-largest-batch','markdown',1,'## 3 · What fits

*difficulty ●○○○○ · importance ●●●●○ · 5 minutes · 3 points*

A chip has `memory_gb` GB. The weights take `weights_gb` GB once, and each sequence brings a cache of `cache_gb` GB. Return how many sequences fit, as a whole number. If the weights alone do not fit, that is 0.','f580e42b20e4a9c8a609652cf8bde884','6016df495a6e46479de1896855d53cd9');
INSERT INTO "source_cell" VALUES('fead9713ee8f483993afa91788bcc97b','largest_batch','code',0,'def largest_batch(memory_gb, weights_gb, cache_gb):
    raise NotImplementedError','32d53eace00a3d20d54c0ebdb11f9591','6016df495a6e46479de1896855d53cd9');
INSERT INTO "source_cell" VALUES('ebacf7dcb8394ce38988b13c9319f456','largest_batch-check','code',1,'check("lab.roofline.largest_batch", largest_batch)
### BEGIN HIDDEN TESTS
from autograder.grading import award

award("lab.roofline.largest_batch", largest_batch, points=3)
### END HIDDEN TESTS','c12f03f14fa8e016f6ed1e9f293e73e0','6016df495a6e46479de1896855d53cd9');
INSERT INTO "source_cell" VALUES('25a0c1371c8743b1aa70b48bfabb4257','task-tokens-per-second','markdown',1,'## 4 · Tokens a second of a batch

*difficulty ●●○○○ · importance ●●●●● · 8 minutes · 4 points*

One step of decoding gives one token to each of `batch` sequences. It reads all `parameters` once, in bf16, and the cache of each sequence, `cache_bytes` bytes. It computes 2 FLOP for each parameter and sequence. Return the most tokens a second that the whole batch can get. Your `shortest_time` helps.','1e6b4d075d919a6b8758c819df7ff1f0','6016df495a6e46479de1896855d53cd9');
INSERT INTO "source_cell" VALUES('a9662f9b70de40fdb9cb63057b38ebda','tokens_per_second','code',0,'def tokens_per_second(parameters, cache_bytes, batch, peak_flops, memory_bandwidth):
    raise NotImplementedError','c3dfd24c268acc18acaf30326d862fd0','6016df495a6e46479de1896855d53cd9');
INSERT INTO "source_cell" VALUES('d241e4464b864555bab9ec5ee3ed9f00','tokens_per_second-check','code',1,'check("lab.roofline.tokens_per_second", tokens_per_second)
### BEGIN HIDDEN TESTS
from autograder.grading import award

award("lab.roofline.tokens_per_second", tokens_per_second, points=4)
### END HIDDEN TESTS','8029fdc754cc2b60549547f189068dbd','6016df495a6e46479de1896855d53cd9');
INSERT INTO "source_cell" VALUES('957ff634a4f343e48865bafd0b23cd2e','task-efficiency','markdown',1,'## 5 · Measured against possible

*difficulty ●●○○○ · importance ●●●●○ · 5 minutes · 3 points*

A profiler measured `measured_flops` FLOP/s on an operation of this `intensity`. Return the share of what the roofline allows there. Don''t clip it: a share above 1 tells you that one of the numbers is wrong.','fb640d233315f1f1c362510d0dbf2497','6016df495a6e46479de1896855d53cd9');
INSERT INTO "source_cell" VALUES('65129c9fd3f447e39bd384bf8d02ccf6','efficiency','code',0,'def efficiency(measured_flops, intensity, peak_flops, memory_bandwidth):
    raise NotImplementedError','d2a914a837d7c13432585ee110a67022','6016df495a6e46479de1896855d53cd9');
INSERT INTO "source_cell" VALUES('80a00fe0ab8544d596ed49ff1de5f002','efficiency-check','code',1,'check("lab.roofline.efficiency", efficiency)
### BEGIN HIDDEN TESTS
from autograder.grading import award

award("lab.roofline.efficiency", efficiency, points=3)
### END HIDDEN TESTS','91479c34cdcef1d2dadc971481094870','6016df495a6e46479de1896855d53cd9');
INSERT INTO "source_cell" VALUES('17f4b13823b74da2b53892c214b5b64b','task-own-chip','markdown',1,'## 6 · Your own chip

*difficulty ●●○○○ · importance ●●●○○ · 6 minutes · 3 points*

The next cell hands you a chip that nobody else has: `chip["peak_flops"]` in FLOP/s and `chip["memory_bandwidth"]` in bytes/s. Return the most tokens a second that it can decode for a whole batch. The weights are in bf16; leave the caches out. Use `chip` and don''t copy its numbers: on another machine, and in grading, they may be others.','5833db85d4ceb2772414c9ef9ada3f50','6016df495a6e46479de1896855d53cd9');
INSERT INTO "source_cell" VALUES('8f9e6a1b5be543a297180a8ef43a85cc','own_rate','code',0,'def own_rate(parameters, batch):
    raise NotImplementedError','b07ce2d681fe073ff78f126e678f0aed','6016df495a6e46479de1896855d53cd9');
INSERT INTO "source_cell" VALUES('0ea24cf421f9418489c85f4e919e159f','own_rate-check','code',1,'check("lab.roofline.own_chip", own_rate)
### BEGIN HIDDEN TESTS
from autograder.grading import award

award("lab.roofline.own_chip", own_rate, points=3)
### END HIDDEN TESTS','1bd0ff180e034a5e295ecef0db64e312','6016df495a6e46479de1896855d53cd9');
INSERT INTO "source_cell" VALUES('4bf7deb9b5da42599a05e1476d8c6413','task-rank-chips','markdown',1,'## 7 · Which chip decodes fastest?

*difficulty ●●●○○ · importance ●●●●○ · 12 minutes · 5 points*

`names` is a list of chip names. Keep the chips that have a dense bf16 peak *and* whose memory holds the bf16 weights together with the caches of the whole batch. Return their names, the most tokens a second first.

For a name, `one = specs.accelerator(name)` has `one.memory_bytes`, `one.memory_bandwidth`, `one.precisions_dense` and `one.peak_flops_dense("bf16")`, all in bytes, bytes/s and FLOP/s.','52967722341c41af147fbe63e8c5c84c','6016df495a6e46479de1896855d53cd9');
INSERT INTO "source_cell" VALUES('4c568e821fe640e78fac12c55139a9f0','rank_chips','code',0,'def rank_chips(names, parameters, cache_bytes, batch):
    raise NotImplementedError','b12548ddcca212fd324445391878345e','6016df495a6e46479de1896855d53cd9');
INSERT INTO "source_cell" VALUES('4bca6fc0496e451c8eb26219a908b113','rank_chips-check','code',1,'check("lab.roofline.rank_chips", rank_chips)
### BEGIN HIDDEN TESTS
from autograder.grading import award

award("lab.roofline.rank_chips", rank_chips, points=5)
### END HIDDEN TESTS','f2551c89221afb81c7a9df55445190f6','6016df495a6e46479de1896855d53cd9');
INSERT INTO "source_cell" VALUES('a26b4af41da442beadbb65c6f0adad24','analysis','markdown',1,'## 8 · Your recommendation

The model has 8 billion parameters in bf16, 32 layers, and 8 key-value heads of width 128; each user has 4096 tokens of context. The cell below ranks every chip of the course that holds it at batch 8, with your functions. Chips with the same bandwidth tie. An empty cell is a figure that the vendor doesn''t print, and the last column names those that you should doubt. Then set `batch` to 256 and run the cell again.','0993cc856b02825362d6d3235c9de5f5','6016df495a6e46479de1896855d53cd9');
INSERT INTO "source_cell" VALUES('d902bca774ac47b0bf860d092efe1197','question','markdown',1,'**Which of these chips would you buy to decode at batch 8, and why?** Write about 200 words. Name two chips and compare them with numbers from your functions. Say which resource decides and how you know; say what changes at batch 256, and what does not; say which of the two gives more tokens for each joule, if it draws its TDP; and name one number above that you would check before you sign, and why. *(6 points, read by a person)*','29908016ec888e855e6e05b309117d19','6016df495a6e46479de1896855d53cd9');
INSERT INTO "source_cell" VALUES('4fbf00a538f2436a8cfc464370fd3714','recommendation','markdown',0,'*Your answer here.*','4fed3d21a17dabfff2782fcfc2b6c2ad','6016df495a6e46479de1896855d53cd9');
INSERT INTO "source_cell" VALUES('bdd9a27b80ac4021abde5910bf105186','second-question','markdown',1,'## One more question

A program decodes a model of 7 billion parameters in bf16: 37 layers, 48 query heads, 8 key-value heads of width 128. The chip was measured to do 800 TFLOP/s and to read 3.30 TB/s, and the steps come close to the roofline of these.

| row | batch | tokens of context | **time of a step** |
|---:|---:|---:|---:|
| 1 | 1 | 400 | 4.21 ms |
| 2 | 18 | 2,000 | 5.92 ms |
| 3 | 55 | 2,300 | 10.1 ms |

Two explanations are offered:

* **A**: a step reads each sequence''s cache once, for all query heads that share it.
* **B**: a step reads each sequence''s cache anew for every query head.

**Which of the two do the numbers bear out?** Work out what each of them says of every row, and how far off each is at worst. Is there a row that cannot tell them apart? Say why the one holds and the other does not, in the words of this chapter. Then say what you expect of a step at batch 120 with 4,300 tokens of context, and name one measurement that would prove you wrong. Defend all of it in about 120 words; a small table beside them does not count. *(4 points, read by a person)*','481e6824219a3ac16afb340dbb29a653','6016df495a6e46479de1896855d53cd9');
INSERT INTO "source_cell" VALUES('2a4aae60e93241ca864954c739ec52d8','second_answer','markdown',0,'*Your answer here.*','e43e7a5b3f4efa69bcf809904241c0c5','6016df495a6e46479de1896855d53cd9');
INSERT INTO "source_cell" VALUES('46752d5042444d79b3aa9eb0133145f8','title','markdown',1,'# quiz

*12 minutes · 6 points*

Write each function in its cell. It is asked about inputs that you have not seen, and about other ones than your neighbour''s.','caa2558a4017b3ed95f686b84d4490c1','bd2c49ed34194749b31ca79384b18853');
INSERT INTO "source_cell" VALUES('18212a3777e64a0eb1a8c1e0dfd2183d','task-1','markdown',1,'## 1 · When the adapter forgets whom it knows

*difficulty ●●●○○ · 6 minutes · 3 points*

Every process keeps a reliable connection to every process of all *other* nodes; the processes of a node share its adapters as evenly as they can, and where it does not come out even, the fullest adapter counts. A connection takes `bytes_per_connection` in the adapter, which keeps `cache_kilobytes` (of 1,000 bytes). Return the most nodes whose connections still fit; exactly full is allowed.','bb755aad2fedc3f7af4029e454e5f8b4','bd2c49ed34194749b31ca79384b18853');
INSERT INTO "source_cell" VALUES('7c66dc60975b4ea2bae9176d122646fb','answer-1','code',0,'def largest_cluster(processes_per_node, adapters_per_node, bytes_per_connection, cache_kilobytes):
    raise NotImplementedError','4816436854028ded4214ec615019757c','bd2c49ed34194749b31ca79384b18853');
INSERT INTO "source_cell" VALUES('713478c6be1c4b5aa9217d012e8b9e40','graded-1','code',1,'# Graded when it is handed in.
### BEGIN HIDDEN TESTS
from autograder.grading import award

award("links.largest_cluster", largest_cluster, points=3)
### END HIDDEN TESTS','88c8dfe0b482d66fa8f2d7b8b86aa959','bd2c49ed34194749b31ca79384b18853');
INSERT INTO "source_cell" VALUES('6c4e65d624804b23b43ab726d86fd5e0','task-2','markdown',1,'## 2 · In time for the pause

*difficulty ●●○○○ · 6 minutes · 3 points*

`senders` send to one port, each at `line_rate` bytes/s, which is also the port''s rate. The switch keeps `buffer_bytes` for their queue, and what it orders shows after `round_trip` seconds. Return the longest queue, in bytes, at which it may order the pause and lose nothing. Where the buffer is too small for that, return 0.','da32418c5a35dafd70596e32124f1e96','bd2c49ed34194749b31ca79384b18853');
INSERT INTO "source_cell" VALUES('131c743dcc34460b8b06b5a9c85ffb64','answer-2','code',0,'def lossless(buffer_bytes, senders, line_rate, round_trip):
    raise NotImplementedError','61c79ca6fb3e911965f13fa3a7458b94','bd2c49ed34194749b31ca79384b18853');
INSERT INTO "source_cell" VALUES('61a5fd137e3b48f7b38b655de5343f8b','graded-2','code',1,'# Graded when it is handed in.
### BEGIN HIDDEN TESTS
from autograder.grading import award

award("links.lossless", lossless, points=3)
### END HIDDEN TESTS','0803bd3a07c90c459e7c587ec8490555','bd2c49ed34194749b31ca79384b18853');
CREATE TABLE student (
	id VARCHAR(128) NOT NULL, 
	first_name VARCHAR(128), 
	last_name VARCHAR(128), 
	email VARCHAR(128), 
	lms_user_id VARCHAR(128), 
	PRIMARY KEY (id)
);
INSERT INTO "student" VALUES('ann','Ann','Lee',NULL,NULL);
INSERT INTO "student" VALUES('bob','Bob','May',NULL,NULL);
INSERT INTO "student" VALUES('cid','Cid','Poe',NULL,NULL);
INSERT INTO "student" VALUES('dan','Dan','Roy',NULL,NULL);
CREATE TABLE submitted_assignment (
	id VARCHAR(32) NOT NULL, 
	assignment_id VARCHAR(32), 
	student_id VARCHAR(128), 
	timestamp DATETIME, 
	extension DATETIME, 
	PRIMARY KEY (id), 
	UNIQUE (assignment_id, student_id), 
	FOREIGN KEY(assignment_id) REFERENCES assignment (id), 
	FOREIGN KEY(student_id) REFERENCES student (id)
);
INSERT INTO "submitted_assignment" VALUES('3b0b6b3996ca473a9ef24666134d231c','88a03635a8354d6e871cb2240d661cac','ann','2026-02-02 22:59:00.000000',NULL);
INSERT INTO "submitted_assignment" VALUES('7b8114f8f0444d3b8abd9a551f616897','88a03635a8354d6e871cb2240d661cac','bob','2026-02-01 08:00:00.000000','1970-01-04 00:00:00.000000');
INSERT INTO "submitted_assignment" VALUES('019a6bffaf744363a75ed684d69f35c7','88a03635a8354d6e871cb2240d661cac','cid','2026-01-30 12:00:00.000000',NULL);
INSERT INTO "submitted_assignment" VALUES('e86c2863991c41a28abc03eb8965d4f2','221e826d6dc840ccaecb2ffe8fd87385','ann',NULL,NULL);
INSERT INTO "submitted_assignment" VALUES('3c768fd3038042b69b4855409114ebe0','221e826d6dc840ccaecb2ffe8fd87385','bob',NULL,NULL);
CREATE TABLE submitted_notebook (
	id VARCHAR(32) NOT NULL, 
	assignment_id VARCHAR(32), 
	notebook_id VARCHAR(32), 
	flagged BOOLEAN, 
	late_submission_penalty FLOAT, 
	PRIMARY KEY (id), 
	UNIQUE (notebook_id, assignment_id), 
	FOREIGN KEY(assignment_id) REFERENCES submitted_assignment (id), 
	FOREIGN KEY(notebook_id) REFERENCES notebook (id)
);
INSERT INTO "submitted_notebook" VALUES('56788f0009a94953b353bed296a4a874','3b0b6b3996ca473a9ef24666134d231c','6016df495a6e46479de1896855d53cd9',0,32.0);
INSERT INTO "submitted_notebook" VALUES('184322da70804462a4f4869da4de11f3','7b8114f8f0444d3b8abd9a551f616897','6016df495a6e46479de1896855d53cd9',0,NULL);
INSERT INTO "submitted_notebook" VALUES('d78dcaae2d914223b8dab88f068c9100','019a6bffaf744363a75ed684d69f35c7','6016df495a6e46479de1896855d53cd9',0,NULL);
INSERT INTO "submitted_notebook" VALUES('8c3b11bcdf99405e9b58e225ac1970dd','e86c2863991c41a28abc03eb8965d4f2','bd2c49ed34194749b31ca79384b18853',0,NULL);
INSERT INTO "submitted_notebook" VALUES('83e6b142696c496d99492e4c4a90d21a','3c768fd3038042b69b4855409114ebe0','bd2c49ed34194749b31ca79384b18853',0,NULL);
CREATE TABLE task_cells (
	id VARCHAR(32) NOT NULL, 
	max_score FLOAT NOT NULL, 
	cell_type VARCHAR(8) NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(id) REFERENCES base_cell (id)
);
COMMIT;
